/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_PATTERN_H
#define IOGATE_PATTERN_H

#include "job/job.h"
#include "pattern/rate.h"
#include "util/err.h"
#include "util/random.h"

/*
 * Which I/O comes next. A pattern hands out I/Os in batches and knows when the
 * job has done its share: io_size (or one pass over the files) times loops, at
 * most number_ios; without end when the job is time_based.
 *
 * Random offsets visit each block once a pass (unless norandommap); reads and
 * writes of a mixed job share the map when they share the block size; with rates for
 * both, the rates decide which comes next. Sequential
 * reads and writes of a mixed job each have their own position; the pass ends for
 * both when one reaches the end. Several files take turns, one I/O each.
 */
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

/* Seed of one clone of one job: the same in each run with randrepeat. */
uint64_t pattern_seed(const struct job *job, uint32_t job_index, uint32_t clone);

/* The smallest block of the job: what its offsets are multiples of. */
uint32_t pattern_unit(const struct job *job);
/* What one of the job's loops moves, of files that hold `whole` bytes for it. */
uint64_t pattern_loop_bytes(const struct job *job, uint64_t whole);

/* 0, or -errno with *err. Release also after a failure. */
int pattern_init(struct pattern *p, const struct job *job,
		 const struct pattern_extent *extents, uint32_t extents_count, uint64_t seed,
		 struct err *err);
void pattern_release(struct pattern *p);

/* Up to n I/Os, all of one pass; fewer near its end. 0: the job is done. */
uint32_t pattern_fill(struct pattern *p, struct pattern_io *out, uint32_t n);

/* When a replayed I/O is due, in ns since the first: of the last fill, with so many after
 * it, 1 being the last one. */
uint64_t pattern_due_ns(const struct pattern *p, uint32_t from_last);

#endif
