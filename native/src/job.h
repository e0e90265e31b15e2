/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_JOB_H
#define IOGATE_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats.h"

struct engine_ops;

/* fio's rw=: which directions, and whether offsets are random. */
enum { RW_READ = 1, RW_WRITE = 2, RW_TRIM = 4, RW_RANDOM = 8 };
enum zone_mode { ZONE_NONE, ZONE_STRIDED };

/* A size as fio gives it: bytes, or percent of the file or device (then bytes is 0).
 * zones ("3z") is for the parser alone: in a resolved job it is part of bytes. */
struct size_value {
	uint64_t bytes;
	uint32_t percent, zones;
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
 * unless said otherwise. Each field is one row of the option table (options.c).
 */
struct job {
	const char *name, *description;
	const char *filename;		/* ':' separated, `\:` for a colon; NULL: made from name,
					 * clone and file number */
	const char *directory;		/* NULL: working directory */
	const struct engine_ops *ops;
	uint32_t rw;			/* RW_ bits */
	struct size_value size, io_size, offset;
	struct size_range filesize;	/* of each file; size is then how much is moved */
	uint64_t bs_bytes[DIR_DATA_COUNT];
	uint32_t iodepth, numjobs, loops, nrfiles;
	bool direct, thread, time_based, invalidate, norandommap, randrepeat;
	bool group_reporting, stonewall, end_fsync;
	uint32_t fsync, fdatasync;	/* every n writes; 0: never */
	uint32_t rwmixread_percent;
	uint64_t runtime_ns, ramp_time_ns, startdelay_ns, thinktime_ns;
	uint64_t randseed;
	uint64_t number_ios;
	enum zone_mode zonemode;
	uint64_t zonesize_bytes, zoneskip_bytes, zonerange_bytes;

	/* Logs: how their file names begin, "" for the job's name; NULL: none. */
	const char *write_bw_log, *write_iops_log, *write_lat_log, *write_hist_log;
	uint32_t log_avg_ms;		/* 0: every I/O is a row */
	uint32_t log_hist_ms, log_hist_coarseness;
	bool per_job_logs, log_offset, log_unix_epoch;

	bool slat_percentiles, clat_percentiles, lat_percentiles, disk_util;
	struct percentile_list percentiles;

	const void *engine_options;	/* of ops->options: ops->options_size bytes, or NULL */
	uint32_t group_id;		/* stonewall starts a new one, as fio's groupid */
	const struct setting *settings;	/* this job's own, without job_list.globals */
	size_t settings_count;
};

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
