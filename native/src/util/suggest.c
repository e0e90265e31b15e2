/* SPDX-License-Identifier: Apache-2.0 */
#include "util/suggest.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

enum { LENGTH_MAX = 63, MISTAKES_MAX = 2 };

static unsigned min(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* One row of the table from the two before it. */
static void next_row(const char *a, size_t i, const char *b, size_t length_b,
		     const uint8_t *older, const uint8_t *old, uint8_t *row)
{
	row[0] = (uint8_t)i;
	for (size_t j = 1; j <= length_b; j++) {
		unsigned best = old[j - 1] + (a[i - 1] != b[j - 1] ? 1U : 0U);

		best = min(best, min(old[j], row[j - 1]) + 1U);
		if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
			best = min(best, older[j - 2] + 1U);
		row[j] = (uint8_t)best;
	}
}

unsigned edit_distance(const char *a, const char *b)
{
	uint8_t rows[3][LENGTH_MAX + 1] = { { 0 } };
	const size_t length_a = strlen(a), length_b = strlen(b);

	if (length_a > LENGTH_MAX || length_b > LENGTH_MAX)
		return UINT_MAX;
	for (size_t j = 0; j <= length_b; j++)
		rows[0][j] = (uint8_t)j;
	for (size_t i = 1; i <= length_a; i++)
		next_row(a, i, b, length_b, rows[(i + 1) % 3], rows[(i + 2) % 3],
			 rows[i % 3]);
	return rows[length_a % 3][length_b];
}

void suggestion_init(struct suggestion *s, const char *wanted)
{
	const size_t length = strlen(wanted);

	*s = (struct suggestion){ .wanted = wanted };
	/* Two letters may be wrong, of a third at most: more, and a suggestion misleads. */
	s->best_distance = min((unsigned)(length < LENGTH_MAX ? length / 3 : 0), MISTAKES_MAX) + 1;
}

void suggestion_offer(struct suggestion *s, const char *candidate)
{
	const size_t wanted = strlen(s->wanted), offered = strlen(candidate);
	unsigned distance;

	if ((wanted > offered ? wanted - offered : offered - wanted) >= s->best_distance)
		return;			/* so many letters at least are wrong */
	distance = edit_distance(s->wanted, candidate);
	if (distance < s->best_distance) {
		s->best_distance = distance;
		s->best = candidate;
	}
}
