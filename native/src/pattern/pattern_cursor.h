/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_PATTERN_CURSOR_H
#define IOGATE_PATTERN_CURSOR_H

#include "pattern/pattern_state.h"

/*
 * Where the next I/O of one file falls: inside a window, which is the whole extent
 * or, with zones, one zone after another. `next` is the number of the block in the
 * window that comes next, or with a map the place in its order.
 */
struct pattern_cursor {
	struct pattern_extent extent;
	uint64_t window_start, window_size;	/* from the start of the extent */
	uint64_t window_left;			/* bytes still to do in this zone */
	uint64_t next[DIR_DATA_COUNT];
	uint64_t sequence_at[DIR_DATA_COUNT];	/* of rw=rand...:N: the block that follows */
	struct permutation maps[DIR_DATA_COUNT];
	struct skewed skewed;
	uint32_t listed;			/* of a sequence: which of its blocks is next */
	uint64_t listed_from;			/* and what its numbers begin at */
	struct zbd_file *zbd;			/* of zonemode=zbd, or NULL */
	bool done;				/* for this pass */
	uint64_t turn_bytes;			/* without passes: moved since it had its place */
};

void pattern_cursor_rewind(struct pattern *p, struct pattern_cursor *c);
/* Where the I/O goes, whose direction and length stand; false: this file has no more. */
bool pattern_cursor_take(struct pattern *p, struct pattern_cursor *c, struct pattern_io *io);
/* A random place for it in a job without zones, from the start of the extent. */
bool pattern_cursor_place(struct pattern *p, struct pattern_cursor *c,
			  const struct pattern_io *io, uint64_t *start);
/* All files from their beginning. */
void pattern_pass_begin(struct pattern *p);

static inline uint8_t pattern_draw_dir(struct pattern *p)
{
	return random_next(&p->directions) >> 32 < p->read_threshold ? DIR_READ : DIR_WRITE;
}

static inline uint64_t pattern_block_max(const struct pattern *p)
{
	return p->bs_bytes[DIR_READ] > p->bs_bytes[DIR_WRITE] ? p->bs_bytes[DIR_READ]
							      : p->bs_bytes[DIR_WRITE];
}

#endif
