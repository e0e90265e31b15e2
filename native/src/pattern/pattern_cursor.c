/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/pattern_cursor.h"

#include <string.h>

#include "util/err.h"

/* Shared by both directions of a mixed job, or one each. */
static uint8_t lane(const struct pattern *p, uint8_t dir)
{
	return p->shared_map ? DIR_READ : dir;
}

static void window_init(struct pattern *p, struct pattern_cursor *c)
{
	memset(c->next, 0, sizeof(c->next));
	if (!p->mapped)
		return;
	for (uint8_t dir = DIR_READ; dir <= DIR_WRITE; dir++) {
		if (lane(p, dir) == dir)
			permutation_init(&c->maps[dir], c->window_size / p->bs_bytes[dir],
					 &p->maps);
	}
}

/* The zone at window_start, cut off at the end of the extent; a rest too small for
 * a block is left out and the first zone follows. */
static void zone_enter(struct pattern *p, struct pattern_cursor *c, uint64_t start)
{
	if (start > c->extent.size_bytes - pattern_block_max(p))
		start = 0;
	c->window_start = start;
	c->window_size = c->extent.size_bytes - start;
	if (c->window_size > p->zone_range)
		c->window_size = p->zone_range;
	c->window_left = p->zone_size;
	window_init(p, c);
}

/* Where the zone after this one begins; one past any end for gaps that lead there. */
static uint64_t zone_after(const struct pattern *p, const struct pattern_cursor *c)
{
	uint64_t start;

	if (__builtin_add_overflow(c->window_start, p->zone_range, &start) ||
	    __builtin_add_overflow(start, p->zone_skip, &start))
		return UINT64_MAX;
	return start;
}

void pattern_cursor_rewind(struct pattern *p, struct pattern_cursor *c)
{
	c->done = false;
	if (p->zoned) {
		zone_enter(p, c, 0);
		return;
	}
	c->window_start = 0;
	c->window_size = c->extent.size_bytes;
	window_init(p, c);
}

void pattern_pass_begin(struct pattern *p)
{
	for (uint32_t i = 0; i < p->files_count; i++)
		pattern_cursor_rewind(p, &p->cursors[i]);
	p->files_done = 0;
	p->file = 0;
	p->passes++;
}

/* The next block inside the window: false when the window has no more. */
static bool window_take(struct pattern *p, struct pattern_cursor *c, uint8_t dir,
			uint64_t *block)
{
	const uint64_t blocks = c->window_size / p->bs_bytes[dir];
	uint64_t *next = &c->next[p->mapped ? lane(p, dir) : dir];

	if (p->random && !p->mapped) {
		*block = random_below(&p->offsets, blocks);
		return true;
	}
	if (*next >= blocks)
		return false;
	*block = p->mapped ? permutation_at(&c->maps[lane(p, dir)], *next) : *next;
	(*next)++;
	return true;
}

/* A multiple of the unit from which length bytes fit into the window. */
static uint64_t random_start(struct pattern *p, struct pattern_cursor *c, uint32_t length)
{
	const uint64_t starts = (c->window_size - length) / p->unit_bytes + 1;
	uint64_t unit;

	if (!p->zipf)
		return random_below(&p->offsets, starts) * p->unit_bytes;
	if (!c->zipf.count) {
		zipf_init(&c->zipf, c->window_size / p->unit_bytes, p->theta);
		permutation_init(&c->scatter, c->zipf.count, &p->maps);
	}
	unit = permutation_at(&c->scatter, zipf_draw(&c->zipf, &p->offsets));
	return (unit < starts ? unit : starts - 1) * p->unit_bytes;
}

/* Blocks of any size, one after the other or anywhere. */
static bool varied_take(struct pattern *p, struct pattern_cursor *c, struct pattern_io *io)
{
	uint64_t *next = &c->next[io->dir];
	uint64_t start = *next;

	if (p->random)
		start = random_start(p, c, io->length);
	else if (start + io->length > c->window_size)
		return false;
	*next = start + io->length;
	io->offset = c->extent.start_bytes + c->window_start + start;
	return true;
}

bool pattern_cursor_take(struct pattern *p, struct pattern_cursor *c, struct pattern_io *io)
{
	const uint8_t dir = io->dir;
	uint64_t block;

	if (c->done)
		return false;
	if (p->varied && !p->zoned) {
		c->done = !varied_take(p, c, io);
		p->files_done += c->done;
		return !c->done;
	}
	if (p->zoned && (!c->window_left || !window_take(p, c, dir, &block))) {
		zone_enter(p, c, zone_after(p, c));
		if (!window_take(p, c, dir, &block))
			BUG("a zone that was just entered holds no block");
	} else if (!p->zoned && !window_take(p, c, dir, &block)) {
		c->done = true;
		p->files_done++;
		return false;
	}
	io->offset = c->extent.start_bytes + c->window_start + block * p->bs_bytes[dir];
	c->window_left -= p->bs_bytes[dir] < c->window_left ? p->bs_bytes[dir]
							    : c->window_left;
	return true;
}
