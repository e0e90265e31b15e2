/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/pattern_drawn.h"

/* As fio does: any size up to the largest, then the next multiple of the smallest. */
static uint32_t draw_from_range(struct pattern *p, const struct size_range *range, uint64_t most)
{
	const uint64_t min = range->min_bytes;
	const uint64_t fitting = p->unaligned ? most : most - most % min;
	const uint64_t max = range->max_bytes < most ? range->max_bytes : fitting;
	uint64_t bytes;

	if (p->unaligned)
		return (uint32_t)(min + random_below(&p->lengths, max - min + 1));
	bytes = (random_below(&p->lengths, max) / min + 1) * min;
	return (uint32_t)(bytes < max ? bytes : max);
}

static inline __attribute__((always_inline))
uint32_t draw_share(struct pattern *p, const struct block_split *s)
{
	uint64_t percent = random_below(&p->lengths, 100);

	for (uint32_t i = 0; i < s->count; i++) {
		if (percent < s->shares[i].percent)
			return s->shares[i].bytes;
		percent -= s->shares[i].percent;
	}
	return s->shares[0].bytes;
}

/* One of those that fit; that there is one is known (pattern_least). */
static inline __attribute__((always_inline))
uint32_t draw_length(struct pattern *p, uint8_t dir, uint64_t most)
{
	const struct block_split *s = &p->splits[dir];
	uint32_t bytes;

	if (!s->count && p->ranges[dir].max_bytes > p->ranges[dir].min_bytes)
		return draw_from_range(p, &p->ranges[dir], most);
	if (!s->count)
		return (uint32_t)p->bs_bytes[dir];
	do
		bytes = draw_share(p, s);
	while (bytes > most);
	return bytes;
}

/* What lies past the end of the file is left out; the list as it stands does not (check). */
static uint64_t listed_unit(const struct pattern *p, struct pattern_cursor *c, uint64_t units)
{
	const struct access_sequence *s = &p->distribution->sequence;
	uint64_t unit;

	do {
		unit = c->listed_from + s->blocks[c->listed++];
		if (c->listed < s->count)
			continue;
		c->listed = 0;
		c->listed_from += p->sequence_moves ? s->span : 0;
		if (c->listed_from >= units)
			c->listed_from = 0;
	} while (unit >= units);
	return unit;
}

static inline __attribute__((always_inline))
uint64_t preferred_unit(struct pattern *p, struct pattern_cursor *c, uint8_t dir)
{
	const struct access_zones *zones = &p->distribution->zones[dir];
	const uint64_t units = c->window_size / p->unit_bytes;

	if (p->distribution->sequence.count)
		return listed_unit(p, c, units);
	if (zones->count)
		return zones_draw(zones, units, p->unit_bytes, &p->offsets);
	if (!c->skewed.count)
		skewed_init(&c->skewed, &p->distribution->skew, units, &p->maps);
	return skewed_draw(&c->skewed, &p->offsets);
}

static inline __attribute__((always_inline))
uint64_t draw_start(struct pattern *p, struct pattern_cursor *c, uint8_t dir, uint32_t length,
		    bool skewed)
{
	const uint64_t align = p->align_bytes[dir];
	const uint64_t starts = (c->window_size - length) / align + 1;
	uint64_t unit;

	if (!skewed)
		return random_below(&p->offsets, starts) * align;
	unit = preferred_unit(p, c, dir) * p->unit_bytes / align;
	return (unit < starts ? unit : starts - 1) * align;
}

uint32_t pattern_drawn_length(struct pattern *p, uint8_t dir)
{
	return draw_length(p, dir, UINT64_MAX);
}

void pattern_drawn_fit(struct pattern *p, const struct pattern_cursor *c, struct pattern_io *io)
{
	if (io->length > c->most_bytes)
		io->length = draw_length(p, io->dir, c->most_bytes);
}

uint64_t pattern_drawn_start(struct pattern *p, struct pattern_cursor *c, uint8_t dir,
			     uint32_t length)
{
	return draw_start(p, c, dir, length, p->skewed);
}

static inline __attribute__((always_inline))
uint32_t fill_drawn(struct pattern *p, struct pattern_io *out, uint32_t n, bool skewed)
{
	struct pattern_cursor *c = p->cursors;
	const uint64_t first = c->extent.start_bytes + c->window_start;
	uint32_t i = 0;

	for (; i < n && p->loop_left; i++) {
		const uint8_t dir = p->mixed ? pattern_draw_dir(p) : p->only_dir;
		const uint32_t length = draw_length(p, dir, c->most_bytes);

		out[i].offset = first + draw_start(p, c, dir, length, skewed);
		out[i].what = pattern_what(length, dir);
		p->loop_left -= length < p->loop_left ? length : p->loop_left;
	}
	return i;
}

static uint32_t fill_even(struct pattern *p, struct pattern_io *out, uint32_t n)
{
	return fill_drawn(p, out, n, false);
}

static uint32_t fill_skewed(struct pattern *p, struct pattern_io *out, uint32_t n)
{
	return fill_drawn(p, out, n, true);
}

pattern_filler *pattern_drawn(const struct pattern *p)
{
	return p->skewed ? fill_skewed : fill_even;
}
