/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_SAMPLER_H
#define IOGATE_SAMPLER_H

#include "run/result.h"
#include "worker/worker.h"

/*
 * Time series without a log: the parent looks at the workers' growing counters and
 * keeps the differences. Workers do nothing for it.
 */

/* One direction's counters of one or more workers at one moment. */
struct counters {
	uint64_t ios, bytes, clat_sum_ns, slat_sum_ns;
	uint64_t clat_min_ns, clat_max_ns;	/* min > max: nothing yet */
};

/* Add what a worker has counted so far. It may count on meanwhile: each number is
 * whole, the set is not of one instant. */
void counters_add(struct counters *c, const struct worker_shared *w, int dir);
/* Add one bucket of one direction. */
uint64_t counters_bucket(const struct worker_shared *w, int dir, uint32_t index);
/* The same of any latency, as it is counted so far. */
uint64_t counters_bucket_of(const struct histogram *h, uint32_t index);
bool worker_measures(const struct worker_shared *w);	/* running or done, past its ramp */

/* A row of the report: its workers, and what was seen at the last look. */
struct row_sampler {
	struct job_result *row;
	struct worker_shared **workers;
	uint32_t workers_count;
	uint64_t begin_ns;			/* 0: no worker measures yet */
	struct rate_clock {			/* one of bandwidth, one of IOPS */
		uint64_t from_ns, due_ns;
		struct counters last[DIR_DATA_COUNT];
	} bw, iops;
	uint64_t series_due_ns;
	struct counters series_last[DIR_DATA_COUNT];
	uint64_t *buckets_last[DIR_DATA_COUNT];	/* HISTOGRAM_BUCKETS, or NULL before use */
	uint32_t intervals_capacity, bins_capacity;
};

/* Take samples that are due; returns when the next is (ns of CLOCK_MONOTONIC). */
uint64_t row_sampler_tick(struct row_sampler *s, uint64_t now_ns);
void rate_samples_settle(struct rate_samples *r);	/* the means of what was sampled so far */
/* The last, shorter interval, and the means. */
void row_sampler_finish(struct row_sampler *s, uint64_t now_ns);
void row_sampler_release(struct row_sampler *s);

#endif
