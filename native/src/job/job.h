/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The room job: what a job is, whoever wrote it and however.
 *
 *	job.h		struct job: every option has its value; nothing changes it any more
 *	option.h	struct option: a row of a table of options, of all jobs or of one ioengine;
 *			struct option_type: how text becomes its field
 *	distribution.h	values that are lists of their own: bssplit, random_distribution
 *
 * How text becomes a job is the room jobfile. It is another room since it has to know the
 * ioengines, and these have to know what a job is.
 */
#ifndef IOGATE_JOB_H
#define IOGATE_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/stats.h"
#include "util/cpus.h"
#include "util/units.h"

struct engine_ops;
struct trace;

/* fio's rw=: which directions, and whether offsets are random. */
enum { RW_READ = 1, RW_WRITE = 2, RW_TRIM = 4, RW_RANDOM = 8 };
enum zone_mode { ZONE_NONE, ZONE_STRIDED };
enum rate_process { RATE_LINEAR, RATE_POISSON };
enum verify_method { VERIFY_NONE, VERIFY_CRC32C };
enum { VERIFY_HEADER_BYTES = 32 };	/* of each unit of a block (worker/verify.h) */
enum preallocation { ALLOCATE_NATIVE, ALLOCATE_NONE, ALLOCATE_POSIX, ALLOCATE_KEEP,
	ALLOCATE_TRUNCATE };
enum sync_mode { SYNC_NONE, SYNC_FULL, SYNC_DATA };
enum clock_choice { CLOCK_UNSET, CLOCK_GETTIME, CLOCK_CPU };

/* bssplit of one direction: shares add up to 100 %. */
struct block_share {
	uint32_t bytes;
	uint32_t percent;
};
struct block_split {
	const struct block_share *shares;	/* NULL: all of bs */
	uint32_t count;
};

/* random_distribution=: zipf with its theta, or uniform. */
struct distribution {
	bool zipf;
	double theta;
};

/* Sizes from min to max; both 0: unset. */
struct size_range {
	uint64_t min_bytes, max_bytes;
};

/* Ascending, in percent. */
enum { PERCENTILES_MAX = 20 };
struct percentile_list {
	double percents[PERCENTILES_MAX];
	uint32_t count;
};

/* One `key=value` as the user wrote it, for `job options` in the JSON and --showcmd. */
struct setting {
	const char *key, *value;	/* canonical key; value "1" for a bare flag */
};

/*
 * A resolved job: every option has its value, aliases and globals are applied,
 * numjobs is still one entry (run.c makes the clones). Immutable after parsing;
 * strings live as long as the job list. Times are ns, sizes bytes, 0 = unset
 * unless said otherwise. Each field is one row of a table of options, and what is of one
 * category is in one part (jobfile/options.h).
 */
struct job {
	const char *name, *description;
	const struct engine_ops *ops;
	const void *engine_options;	/* of ops->options: ops->options_size bytes, or NULL */

	/* Kind of I/O. */
	uint32_t rw;			/* RW_ bits */
	uint32_t rwmixread_percent;
	bool direct, norandommap, randrepeat, end_fsync;
	enum sync_mode sync;		/* O_SYNC or O_DSYNC */
	uint32_t fsync, fdatasync;	/* every n writes; 0: never */
	struct distribution distribution;
	uint64_t randseed;

	struct {
		uint64_t runtime_ns, ramp_ns, startdelay_ns;
		uint32_t loops;
		bool based;		/* runtime is the end, not the amount of I/O */
	} time;
	struct {
		/* ':' separated, `\:` for a colon; NULL: made from name, clone and file number */
		const char *names;
		const char *directory;	/* NULL: working directory */
		uint32_t count;		/* of each clone */
		struct size_range size;	/* of each file; amount.size is then what is moved */
		enum preallocation fallocate;
		bool overwrite, unlink;
	} files;
	struct {
		enum zone_mode mode;
		uint64_t size_bytes, skip_bytes, range_bytes;
	} zones;
	struct {
		struct size_value size, io_size, offset;
		uint64_t ios;		/* 0: no limit */
	} amount;
	struct {
		uint64_t bytes[DIR_DATA_COUNT];
		struct block_split splits[DIR_DATA_COUNT];
	} block;
	struct {			/* I/Os */
		uint32_t iodepth, low, batch_submit, batch_complete_min, batch_complete_max;
	} depth;
	struct {
		uint64_t bytes[DIR_DATA_COUNT], iops[DIR_DATA_COUNT];	/* a second */
		enum rate_process process;
	} rate;
	struct {
		uint64_t pause_ns, spin_ns, iotime_ns;
		uint32_t blocks;
		enum think_count { THINK_COMPLETE, THINK_ISSUE } blocks_type;
	} think;
	struct {
		bool invalidate, zero, refill;
	} buffers;
	struct {
		uint32_t numjobs;
		bool thread, stonewall, exitall;
		struct cpu_list cpus_allowed;
	} process;
	struct {
		enum verify_method method;
		bool at_end;		/* read what was written when all is written */
		bool fatal;
	} verify;
	struct {
		const char *record;	/* where to; NULL: nowhere */
		/* what to replay, ':' separated, for the clones in turn; NULL: nothing */
		const char *files;
		const char *redirect, *skip;
		bool no_stall;
		uint32_t time_scale, scale, align;
		const struct trace *trace;	/* what files names, in the job of a clone */
	} replay;
	struct {
		/* How the names of log files begin, "" for the job's name; NULL: none. */
		const char *bw, *iops, *lat, *hist;
		uint32_t avg_ms;	/* 0: every I/O is a row */
		uint32_t hist_ms, hist_coarseness;
		bool per_job, offset, unix_epoch;
	} log;
	struct {
		bool slat_percentiles, clat_percentiles, lat_percentiles, disk_util;
		bool gtod_reduce, disable_lat, disable_clat, disable_slat, disable_bw;
		bool group_reporting;
		enum clock_choice clocksource;
		struct percentile_list percentiles;
	} report;

	uint32_t group_id;		/* stonewall starts a new one, as fio's groupid */
	const struct setting *settings;	/* this job's own, without job_list.globals */
	size_t settings_count;
};

/* How many run of a job; one, of a job that no parser has filled. */
static inline uint32_t job_clones(const struct job *job)
{
	return job->process.numjobs ? job->process.numjobs : 1;
}

struct job_list {
	struct job *jobs;
	size_t count;
	const struct setting *globals;	/* of the global sections before the first job */
	size_t globals_count;
	const char *const *warnings;	/* for main.c to print: what was set but does nothing */
	size_t warnings_count;
	void *memory;			/* the arena that holds it all */
};

#endif
