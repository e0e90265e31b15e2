/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_SUGGEST_H
#define IOGATE_SUGGEST_H

#include <stddef.h>

/* "did you mean": offer candidates one by one, take the closest. */
struct suggestion {
	const char *wanted, *best;	/* best: NULL when nothing is close */
	unsigned best_distance;
};

void suggestion_init(struct suggestion *s, const char *wanted);
void suggestion_offer(struct suggestion *s, const char *candidate);

/* Insertions, deletions, replacements and swaps of neighbours, to turn a into b;
 * texts past 63 bytes are as far apart as they can be. */
unsigned edit_distance(const char *a, const char *b);

#endif
