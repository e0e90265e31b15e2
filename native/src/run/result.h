/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_RESULT_H
#define IOGATE_RESULT_H

#include "job/job.h"
#include "run/idleness.h"
#include "stats/clock.h"
#include "stats/stats.h"

/* One interval of a window of steadystate. */
struct steady_value {
	double iops, bw_bytes, lat_ns;
};

/* The window at the end of the job, the oldest value first; criterion is what was compared to
 * the limit, 0 while the window was not full. */
struct steady_state {
	bool attained;
	uint32_t count, capacity;
	struct steady_value *values;
	double slope, max_deviation, criterion;
};

/* One row of the report: a clone of a job, or a group with group_reporting. */
struct job_result {
	const struct job *job;		/* the first of the group */
	uint32_t clone;			/* 0-based number of the clone among numjobs */
	uint32_t jobs_count;		/* clones in this row */
	uint32_t group_id;
	int pid;
	int error;			/* positive errno that ended it; 0 */
	int passed_error;		/* the first after which it went on; 0 */
	char error_text[512];		/* what happened and what to do; "" without an error */
	bool refused;			/* the error is a refusal for safety */
	uint64_t start_unix_ms;
	uint64_t elapsed_s;		/* with ramp and layout, rounded as fio does */
	struct worker_stats *stats;
	struct rate_samples rates[DIR_DATA_COUNT], mixed_rates;
	struct series series;
	struct steady_state *steady;	/* NULL: the job asks for none */
	uint32_t latency_depth;		/* that latency_target came to; 0: none was looked for */
};

struct disk_util {
	char name[64];
	uint64_t read_ios, write_ios, read_sectors, write_sectors, read_merges, write_merges;
	uint64_t read_ticks_ms, write_ticks_ms, in_queue_ms;
	double util_percent;
};

struct clock_facts {
	const char *source;		/* "tsc" or "clock_monotonic" */
	char fallback[CLOCK_WHY_MAX];		/* why not "tsc", where it was wanted; else "" */
	double frequency_hz;
	double error_ppm;		/* calibration to end, against CLOCK_MONOTONIC_RAW */
	const char *reads;		/* "per-io" or "per-batch" */
	uint64_t read_cost_ns;
};

struct result {
	struct job_result *rows;
	size_t rows_count;
	struct disk_util *disks;
	size_t disks_count;
	struct clock_facts clock;
	struct idleness idleness;
	uint64_t start_unix_ms, end_unix_ms;
	bool interrupted;		/* a signal ended it: results are partial */
	void *memory;
};

#endif
