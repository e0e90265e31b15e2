/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_PATTERN_STATE_H
#define IOGATE_PATTERN_STATE_H

#include "job/job.h"
#include "pattern/rate.h"
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

struct pattern_cursor;

struct pattern {
	struct pattern_cursor *cursors;		/* one a file */
	uint32_t files_count, file, files_done;
	uint64_t bs_bytes[DIR_DATA_COUNT];
	bool random, mapped, mixed, zoned, shared_map;
	uint64_t zone_size, zone_range, zone_skip;
	uint8_t only_dir;			/* unless mixed */
	/* Blocks of several sizes start at multiples of the smallest, without a map, as do
	 * those by Zipf's law. */
	bool varied, zipf;
	uint32_t unit_bytes;
	double theta;
	const struct block_split *splits;	/* by direction */
	struct random lengths;
	struct rate rate;			/* of a mixed job, chooses directions */
	uint64_t read_threshold;		/* of 2^32: below it is a read */
	struct random directions, offsets, maps;
	uint64_t loop_bytes, loop_left, loops_left, ios_left;
	const struct trace *trace;	/* a replay: nothing else counts, or NULL */
	bool no_data;
	uint64_t trace_next, trace_base_ns;	/* next I/O; when this pass began */
	uint64_t passes;		/* begun over the files; grows only between batches */
	uint32_t (*fill)(struct pattern *p, struct pattern_io *out, uint32_t n);
};

#endif
