/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_PATTERN_STATE_H
#define IOGATE_PATTERN_STATE_H

#include "job/job.h"
#include "pattern/rate.h"
#include "pattern/skew.h"
#include "util/random.h"

/* One I/O that comes next. */
struct pattern_io {
	uint64_t offset;
	union {
		struct {
			uint32_t length;
			uint16_t file;
			uint8_t dir;
			uint8_t data_only;	/* of a DIR_SYNC, which only a replay plans */
		};
		uint64_t what;		/* these four in one copy, as in struct io */
	};
};

/* The part of a file that the job may touch. */
struct pattern_extent {
	uint64_t start_bytes, size_bytes;
};

/* Of a job that trims blocks before it writes them: the one at hand. */
struct pattern_pair {
	bool on;
	uint32_t lengths[DIR_DATA_COUNT];	/* of its trims and of its writes */
	struct pattern_io block;
	uint64_t done_bytes;			/* trimmed, then written: up to twice its length */
};

/* Of rw=...:N. */
struct pattern_sequence {
	bool on, identical;
	int64_t step;				/* of sequential I/O a gap in bytes; else blocks */
	const uint64_t *random_percent;		/* by direction; NULL: step counts */
	uint64_t taken;
};

/* Which file comes next (pattern_files.h). */
struct pattern_files {
	struct file_service service;
	uint32_t count, next;			/* of all files, the next to come into a place */
	uint32_t *places;			/* files; those that may be open */
	uint32_t places_count, taken;
	uint32_t place, left;			/* whose turn it is, for so many I/Os more */
	struct random draws;
	struct skewed skewed;
	struct permutation order;
};

/* Of zonemode=zbd (pattern_zbd.h). */
struct pattern_zbd {
	bool on, beyond, remainder;
	bool has_moved;				/* anything in this pass */
	uint64_t zone_bytes, capacity, skip_bytes;
	uint32_t max_open;			/* 0: all of them */
	double threshold;
	uint64_t reset_period, writes;		/* a reset each so many writes; 0: none */
	struct random draws;
};

/* Of sprandom (pattern_sprandom.h). */
struct pattern_sprandom {
	const struct sprandom *how;		/* NULL: not asked for */
	double decay;
	uint64_t length;			/* blocks of a region */
	uint32_t region;
	uint64_t pass;				/* of the pattern's: the one it is in */
	uint64_t left, fresh;			/* of the region; come for the first time so far */
	uint64_t *again, *later;		/* blocks that come again: in this one, the next */
	uint64_t again_left, later_count, later_left;
	struct random draws;
};

/*
 * Where the next I/O of one file falls: inside a window, which is the whole extent
 * or, with zones, one zone after another. `next` is the number of the block in the
 * window that comes next, with a map the place in its order, or how many of its units are taken.
 */
struct pattern_cursor {
	struct pattern_extent extent;
	uint64_t window_start, window_size;	/* from the start of the extent */
	uint64_t window_left;			/* bytes still to do in this zone */
	uint64_t most_bytes;			/* of one block: what is larger does not fit */
	uint64_t next[DIR_DATA_COUNT];
	uint64_t sequence_at[DIR_DATA_COUNT];	/* of rw=rand...:N: the block that follows */
	struct permutation maps[DIR_DATA_COUNT];
	uint64_t *taken[DIR_DATA_COUNT];	/* a bit a unit (pattern_map.h), or NULL */
	struct skewed skewed;
	uint32_t listed;			/* of a sequence: which of its blocks is next */
	uint64_t listed_from;			/* and what its numbers begin at */
	struct zbd_file *zbd;			/* of zonemode=zbd, or NULL */
	bool done;				/* for this pass */
	uint64_t turn_bytes;			/* without passes: moved since it had its place */
};

struct pattern;

/* The next I/Os, at most n; returns how many. */
typedef uint32_t pattern_filler(struct pattern *p, struct pattern_io *out, uint32_t n);

struct pattern {
	struct pattern_cursor *cursors;		/* one a file */
	uint32_t files_count, files_done;
	struct pattern_files files;
	uint64_t bs_bytes[DIR_DATA_COUNT];
	bool random, mapped, mixed, zoned, shared_map;
	uint64_t zone_size, zone_range, zone_skip;
	uint8_t only_dir;			/* unless mixed */
	uint32_t lanes;			/* a bit each: directions with an order of their own */
	struct pattern_pair pair;
	struct pattern_sequence sequence;
	struct pattern_zbd zbd;
	struct pattern_sprandom sprandom;
	/* Blocks of several sizes start at multiples of the smallest, as do those of a
	 * distribution that prefers some, which has no map. */
	bool varied, skewed, sequence_moves;
	bool map_units;				/* pattern_map.h */
	uint64_t map_bytes[DIR_DATA_COUNT];	/* its units */
	bool one_pass;				/* of a loop; else io_size ends it */
	bool pass_of_loop;			/* the one at hand began with it */
	uint32_t unit_bytes;
	const struct distribution *distribution;
	const struct block_split *splits;	/* by direction */
	const struct size_range *ranges;	/* by direction */
	bool unaligned;				/* any size of a range */
	uint32_t pass_unit_bytes;	/* of several sizes: a pass is multiples of it; 0: of bs */
	uint32_t align_bytes[DIR_DATA_COUNT];	/* of random offsets */
	struct random lengths;
	struct rate rate;			/* of a mixed job, chooses directions */
	bool holds;				/* what has a rate waits (pattern_hold) */
	uint64_t read_threshold;		/* of 2^32: below it is a read */
	struct random directions, offsets, maps, places;
	uint64_t loop_bytes, loop_ios;		/* of each loop, of which the less ends it */
	uint64_t loop_left, loops_left, ios_left;
	uint64_t loop_share, loop_over;	/* what it began with; what it moved above that */
	uint64_t loops;			/* begun */
	const struct trace *trace;	/* a replay: nothing else counts, or NULL */
	bool no_data;
	uint64_t trace_next, trace_base_ns;	/* next I/O; when this pass began */
	uint64_t passes;		/* begun over the files; grows only between batches */
	pattern_filler *fill;
};

static inline uint8_t pattern_draw_dir(struct pattern *p)
{
	return random_next(&p->directions) >> 32 < p->read_threshold ? DIR_READ : DIR_WRITE;
}

/* Whose order it is: of all directions, or its own in a mixed job. */
static inline uint8_t pattern_lane(const struct pattern *p, uint8_t dir)
{
	return p->shared_map ? DIR_READ : dir;
}

static inline uint64_t pattern_what(uint32_t length, uint8_t dir)
{
	return (struct pattern_io){ .length = length, .dir = dir }.what;
}

#endif
