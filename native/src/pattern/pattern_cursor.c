/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/pattern_cursor.h"

#include <string.h>

#include "pattern/pattern_drawn.h"
#include "pattern/pattern_files.h"
#include "pattern/pattern_map.h"
#include "util/err.h"

static void window_init(struct pattern *p, struct pattern_cursor *c)
{
	if (p->map_units)
		pattern_map_begin(p, c);
	memset(c->next, 0, sizeof(c->next));
	if (!p->mapped || p->map_units)
		return;
	for (unsigned dir = 0; dir < DIR_DATA_COUNT; dir++) {
		if (p->lanes & (1u << dir))
			permutation_init(&c->maps[dir], c->window_size / p->bs_bytes[dir],
					 &p->maps);
	}
}

/* The zone at window_start, cut off at the end of the extent; a rest too small for
 * a block is left out and the first zone follows. */
static void zone_enter(struct pattern *p, struct pattern_cursor *c, uint64_t start)
{
	const uint64_t largest = pattern_block_max(p);

	if (start > c->extent.size_bytes - (largest < c->most_bytes ? largest : c->most_bytes))
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
	pattern_files_begin(&p->files);
	p->passes++;
	p->zbd.has_moved = false;
}

/* The next block inside the window: false when the window has no more. */
static bool window_take(struct pattern *p, struct pattern_cursor *c, uint8_t dir,
			uint64_t *block)
{
	const uint64_t blocks = c->window_size / p->bs_bytes[dir];
	uint64_t *next = &c->next[p->mapped ? pattern_lane(p, dir) : dir];

	if (p->random && !p->mapped) {
		*block = random_below(&p->offsets, blocks);
		return true;
	}
	if (*next >= blocks)
		return false;
	*block = p->mapped ? permutation_at(&c->maps[pattern_lane(p, dir)], *next) : *next;
	(*next)++;
	return true;
}

/* The last block of a pass through several sizes is as large as what is left, in whole
 * smallest ones. */
static bool cut_to_fit(const struct pattern *p, const struct pattern_cursor *c,
		       struct pattern_io *io, uint64_t start)
{
	const uint64_t left = c->window_size - start;
	const uint64_t whole = p->unaligned ? left : left - left % p->unit_bytes;

	if (io->length > left && p->pass_unit_bytes && whole >= p->unit_bytes)
		io->length = (uint32_t)whole;
	return io->length <= left;
}

/* Blocks of any size, one after the other or anywhere. */
static bool varied_take(struct pattern *p, struct pattern_cursor *c, struct pattern_io *io)
{
	uint64_t start = c->next[io->dir];

	if (p->map_units) {
		if (!pattern_map_take(p, c, io, &start))
			return false;
	} else if (p->random) {
		start = pattern_drawn_start(p, c, io->dir, io->length);
	} else {
		if (!cut_to_fit(p, c, io, start))
			return false;
		c->next[io->dir] = start + io->length;
	}
	io->offset = c->extent.start_bytes + c->window_start + start;
	return true;
}

bool pattern_cursor_place(struct pattern *p, struct pattern_cursor *c,
			  const struct pattern_io *io, uint64_t *start)
{
	uint64_t block;

	if (p->varied) {
		*start = pattern_drawn_start(p, c, io->dir, io->length);
		return true;
	}
	if (!window_take(p, c, io->dir, &block))
		return false;
	*start = block * p->bs_bytes[io->dir];
	return true;
}

/* As fio does: a block that begins in a zone may reach past its end, and a zone that is smaller
 * than zonesize comes again until as much is moved. */
static bool zone_take_next(struct pattern *p, struct pattern_cursor *c,
			   const struct pattern_io *io, uint64_t *start)
{
	uint64_t *next = &c->next[io->dir];

	if (*next >= p->zone_range)
		*next = 0;
	if (io->length > c->extent.size_bytes - c->window_start - *next)
		return false;
	*start = *next;
	*next += io->length;
	return true;
}

static bool zone_take(struct pattern *p, struct pattern_cursor *c, struct pattern_io *io,
		      uint64_t *start)
{
	if (p->map_units)
		return pattern_map_take(p, c, io, start);
	return p->random ? pattern_cursor_place(p, c, io, start)
			 : zone_take_next(p, c, io, start);
}

static void zoned_take(struct pattern *p, struct pattern_cursor *c, struct pattern_io *io)
{
	uint64_t start, moved;

	if (!c->window_left || !zone_take(p, c, io, &start)) {
		zone_enter(p, c, zone_after(p, c));
		if (!zone_take(p, c, io, &start))
			BUG("a zone that was just entered holds no block");
	}
	io->offset = c->extent.start_bytes + c->window_start + start;
	moved = p->pair.on ? 2ull * io->length : io->length;
	c->window_left -= moved < c->window_left ? moved : c->window_left;
}

bool pattern_cursor_take(struct pattern *p, struct pattern_cursor *c, struct pattern_io *io)
{
	uint64_t block;

	if (p->zoned && !c->done) {
		zoned_take(p, c, io);
		return true;
	}
	if (c->done)
		return false;
	if (p->varied) {
		c->done = !varied_take(p, c, io);
		p->files_done += c->done;
		return !c->done;
	}
	if (!window_take(p, c, io->dir, &block)) {
		c->done = true;
		p->files_done++;
		return false;
	}
	io->offset = c->extent.start_bytes + c->window_start + block * p->bs_bytes[io->dir];
	return true;
}
