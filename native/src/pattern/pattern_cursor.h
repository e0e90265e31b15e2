/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_PATTERN_CURSOR_H
#define IOGATE_PATTERN_CURSOR_H

#include "pattern/pattern_state.h"
#include "pattern/zipf.h"

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
	struct permutation maps[DIR_DATA_COUNT];
	struct zipf zipf;
	struct permutation scatter;		/* of zipf's ranks over the blocks */
	bool done;				/* for this pass */
};

void pattern_cursor_rewind(struct pattern *p, struct pattern_cursor *c);
/* Where the I/O goes, whose direction and length stand; false: this file has no more. */
bool pattern_cursor_take(struct pattern *p, struct pattern_cursor *c, struct pattern_io *io);
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
