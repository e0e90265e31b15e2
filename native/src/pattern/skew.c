/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/skew.h"

#include <math.h>

void skewed_init(struct skewed *s, const struct skew *how, uint64_t count, struct random *seed)
{
	*s = (struct skewed){ .how = *how, .count = count };
	if (how->kind == SKEW_ZIPF)
		zipf_init(&s->zipf, count, how->shape);
	if (how->kind == SKEW_PARETO)
		s->power = log(how->shape) / log1p(-how->shape);
	permutation_init(&s->scatter, count, seed);
}

static double uniform(struct random *r)
{
	return (double)(random_next(r) >> 11) * 0x1p-53;
}

/* The preferred rank stands where the job says, or anywhere. */
static uint64_t at_rank(const struct skewed *s, uint64_t rank)
{
	if (s->how.centre < 0)
		return permutation_at(&s->scatter, rank);
	return (rank + (uint64_t)(s->how.centre * (double)(s->count - 1))) % s->count;
}

/* Its deviation is in percent of all; what is outside is drawn again. */
static uint64_t draw_normal(const struct skewed *s, struct random *r)
{
	const double centre = s->how.centre < 0 ? 0.5 : s->how.centre;
	double at;

	do {
		const double u = uniform(r) + 0x1p-53, v = uniform(r);

		at = centre + sqrt(-2 * log(u)) * cos(2 * M_PI * v) * s->how.shape / 100;
	} while (!(at >= 0 && at <= 1));
	return at < 1 ? (uint64_t)(at * (double)s->count) : s->count - 1;
}

uint64_t skewed_draw(const struct skewed *s, struct random *r)
{
	uint64_t rank;

	switch (s->how.kind) {
	case SKEW_ZIPF:
		return at_rank(s, zipf_draw(&s->zipf, r));
	case SKEW_PARETO:
		rank = (uint64_t)(pow(uniform(r), s->power) * (double)s->count);
		return at_rank(s, rank < s->count ? rank : s->count - 1);
	case SKEW_NORMAL:
		return draw_normal(s, r);
	case SKEW_NONE:
		break;
	}
	return random_below(r, s->count);
}

static uint64_t units_of(const struct access_zone *zone, uint64_t units, uint32_t unit_bytes)
{
	if (zone->bytes)
		return zone->bytes / unit_bytes;
	return (uint64_t)((unsigned __int128)units * zone->size_percent / 100);
}

uint64_t zones_draw(const struct access_zones *zones, uint64_t units, uint32_t unit_bytes,
		    struct random *r)
{
	uint64_t percent = random_below(r, 100), first = 0, count = 1;

	for (uint32_t i = 0; i < zones->count; i++) {
		count = units_of(&zones->all[i], units, unit_bytes);
		if (percent < zones->all[i].percent)
			break;
		percent -= zones->all[i].percent;
		first += count;
	}
	first = first < units ? first : units - 1;
	count = count < units - first ? count : units - first;
	return first + random_below(r, count + !count);
}
