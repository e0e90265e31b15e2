/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/pattern_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pattern/pattern_sizes.h"

/* More than any machine's memory: the allocator is not asked for it. */
#define MAP_MOST_BYTES (UINT64_C(1) << 38)

/* Bytes that a window has at most. */
static uint64_t window_most(const struct pattern *p, const struct pattern_cursor *c)
{
	const uint64_t all = c->extent.size_bytes;

	return p->zoned && p->zone_range < all ? p->zone_range : all;
}

/* As fio documents: lfsr and blockalign know no map of blocks of several sizes. */
static bool has_units(const struct pattern *p, const struct job *job)
{
	JOB_DIRS(dir, job)
		if (pattern_alignment(job, dir))
			return false;
	return p->varied && !p->skewed && !p->zbd.on && !p->sequence.on &&
	       !job->norandommap && job->generator != GENERATOR_LFSR;
}

void pattern_map_choose(struct pattern *p, const struct job *job)
{
	const uint64_t reads = pattern_sizes(job, DIR_READ).min_bytes;
	const uint64_t writes = pattern_sizes(job, DIR_WRITE).min_bytes;

	p->mapped = p->random && !p->varied &&
		    (!job->norandommap || job->generator == GENERATOR_LFSR || job->sprandom.on);
	p->map_units = p->random && has_units(p, job);
	if (!p->map_units)
		return;
	p->mapped = true;
	p->shared_map = !p->mixed || reads == writes;
	p->lanes = p->shared_map ? RW_READ : RW_READ | RW_WRITE;
	p->map_bytes[DIR_READ] = p->mixed ? reads : p->unit_bytes;
	p->map_bytes[DIR_WRITE] = writes;
}

static uint64_t map_bytes(const struct pattern *p, unsigned dir, uint64_t window_size)
{
	return (window_size / p->map_bytes[dir] / 64 + 1) * sizeof(uint64_t);
}

static bool add(struct pattern *p, struct pattern_cursor *c)
{
	for (unsigned dir = 0; dir < DIR_DATA_COUNT; dir++) {
		uint64_t bytes;

		if (!(p->lanes & (1u << dir)))
			continue;
		bytes = map_bytes(p, dir, window_most(p, c));
		c->taken[dir] = bytes <= MAP_MOST_BYTES ? calloc(1, bytes) : NULL;
		if (!c->taken[dir])
			return false;
	}
	return true;
}

int pattern_map_init(struct pattern *p, const struct job *job, struct err *err)
{
	bool has_room = true;

	for (uint32_t i = 0; p->map_units && has_room && i < p->files_count; i++)
		has_room = add(p, &p->cursors[i]);
	if (has_room)
		return 0;
	pattern_map_release(p);
	p->map_units = p->mapped = false;
	if (job->softrandommap)
		return 0;
	return err_set(err, -ENOMEM,
		       "%s: no memory for the map of what random I/O has touched: set "
		       "softrandommap=1 or norandommap=1 to go without, or make size smaller or "
		       "the smallest block larger", job->name);
}

void pattern_map_release(struct pattern *p)
{
	for (uint32_t i = 0; p->cursors && i < p->files_count; i++) {
		for (unsigned dir = 0; dir < DIR_DATA_COUNT; dir++) {
			free(p->cursors[i].taken[dir]);
			p->cursors[i].taken[dir] = NULL;
		}
	}
}

void pattern_map_begin(struct pattern *p, struct pattern_cursor *c)
{
	for (unsigned dir = 0; dir < DIR_DATA_COUNT; dir++) {
		const bool is_touched = c->taken[dir] && c->next[dir];

		if (is_touched)		/* else a large map stays without memory */
			memset(c->taken[dir], 0, map_bytes(p, dir, window_most(p, c)));
	}
}

static bool is_taken(const uint64_t *taken, uint64_t unit)
{
	return taken[unit / 64] >> unit % 64 & 1;
}

/* The unit, or the first one behind it that is left; behind the last comes the first. */
static uint64_t next_left(const uint64_t *taken, uint64_t units, uint64_t unit)
{
	uint64_t word = unit / 64;
	uint64_t left = ~taken[word] & (~0ull << unit % 64);

	for (;;) {
		const uint64_t found = word * 64 + (uint64_t)(left ? __builtin_ctzll(left) : 64);

		if (left && found < units)
			return found;
		word = found < units ? word + 1 : 0;
		left = ~taken[word];
	}
}

/* As many units from the first on as are left, at most so many. */
static uint64_t take_run(uint64_t *taken, uint64_t units, uint64_t first, uint64_t most)
{
	uint64_t count = 0;

	while (count < most && first + count < units && !is_taken(taken, first + count)) {
		taken[(first + count) / 64] |= 1ull << (first + count) % 64;
		count++;
	}
	return count;
}

bool pattern_map_take(struct pattern *p, struct pattern_cursor *c, struct pattern_io *io,
		      uint64_t *start)
{
	const uint8_t lane = pattern_lane(p, io->dir);
	const uint64_t unit_bytes = p->map_bytes[lane], units = c->window_size / unit_bytes;
	const uint64_t wanted = (io->length + unit_bytes - 1) / unit_bytes;
	uint64_t first, count;

	if (c->next[lane] == units)
		return false;
	first = next_left(c->taken[lane], units, random_below(&p->offsets, units));
	count = take_run(c->taken[lane], units, first, wanted);
	c->next[lane] += count;
	if (count < wanted)
		io->length = (uint32_t)(count * unit_bytes);
	*start = first * unit_bytes;
	return true;
}
