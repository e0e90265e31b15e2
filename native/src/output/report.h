/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_REPORT_H
#define IOGATE_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "run/result.h"

/* What every output derives from a result in the same way. */

/* The percentiles that a job asks for; fio's default list where it has none. */
const struct percentile_list *report_percentiles(const struct job *job);

extern const char *const report_depth_labels[STATS_DEPTH_LEVELS];	/* 1 2 4 … >=64 */
extern const char *const report_batch_labels[STATS_DEPTH_LEVELS];	/* 0 4 8 … >=64 */

/* The first errno of a row, whether it ended a job or not; 0. */
/* All directions of a row as one, to be freed; NULL: no memory. */
struct dir_stats *report_mixed(const struct job_result *row);
uint32_t report_latency_depth(const struct job_result *row);	/* iodepth, or what was found */
int report_error(const struct job_result *row);
uint64_t report_errors(const struct worker_stats *s);	/* I/Os that failed */
bool report_passes_errors(const struct job *job);	/* continue_on_error or ignore_error */
double report_iops(const struct dir_stats *d);
uint64_t report_bw_bytes(const struct dir_stats *d);	/* per second */
uint64_t report_runtime_ms(uint64_t runtime_ns);	/* rounded; 1 for less than a ms that ran */
double report_percent(uint64_t part, uint64_t whole);	/* 0 of nothing */
/* The mean over the window of a steady state, of the value that stands at that offset of each. */
enum {
	STEADY_AT_IOPS = offsetof(struct steady_value, iops),
	STEADY_AT_BW = offsetof(struct steady_value, bw_bytes),
};
double report_steady_mean(const struct steady_state *s, size_t offset);

/* Mean bandwidth of the samples as a share of the group's, in %; 100 at most, as fio has it. */
double report_share_of_group(const struct rate_samples *r, uint64_t group_bw_bytes);

/* CPU time as percent of the wall time of all jobs of the row. */
double report_cpu_percent(const struct job_result *row, uint64_t cpu_ns);

/* As many values as the list has: the middle of a bucket, but never beyond what was measured. */
void report_latency_percentiles(const struct histogram *h, const struct moments *m,
				const struct percentile_list *list, uint64_t *values_ns);

/* The share of I/Os by completion latency, in fio's classes: up to 2, 4, 10, … 1000 of
 * each unit, and 2000 and beyond in ms. All directions together, in percent. */
enum { REPORT_CLASSES = 10, REPORT_CLASSES_MS = 12 };
extern const char *const report_class_labels[REPORT_CLASSES_MS];
struct latency_classes {
	double ns[REPORT_CLASSES], us[REPORT_CLASSES], ms[REPORT_CLASSES_MS];
};
void report_latency_classes(const struct worker_stats *s, struct latency_classes *c);

/* One direction of a group of jobs, as in "Run status group". */
struct group_total {
	uint64_t bytes, bw_bytes, bw_min, bw_max, runtime_min_ms, runtime_max_ms;
};
/* dir DIR_DATA_COUNT: all directions together. */
void report_group_total(const struct result *r, uint32_t group_id, enum io_dir dir,
			struct group_total *t);

/* The parts of a priority as ioprio_set(2) has it. */
static inline unsigned report_priority_class(uint16_t priority)
{
	return priority >> 13;
}

static inline unsigned report_priority_hint(uint16_t priority)
{
	return priority >> 3 & 1023;
}

static inline unsigned report_priority_level(uint16_t priority)
{
	return priority & 7;
}

#endif
