/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_LOG_SAMPLER_H
#define IOGATE_LOG_SAMPLER_H

#include "logs/logs.h"
#include "run/sampler.h"

/* Averages and histograms over windows of one worker, for its logs. */
struct log_sampler {
	const struct logs *logs;
	const struct worker_shared *worker;
	struct log_text texts[LOG_KINDS];
	uint64_t begin_ns, base_ms;		/* begin_ns 0: the worker measures nothing yet */
	uint64_t average_from_ns, average_due_ns, histogram_due_ns;
	uint64_t histogram_row_ms;		/* time of the last row; 0: none yet */
	struct counters last[DIR_DATA_COUNT];
	/* log_window_value: HISTOGRAM_BUCKETS each of slat, clat and lat, or NULL before use */
	uint64_t *window_last[LOG_HIST][DIR_DATA_COUNT];
	uint64_t *buckets_last[DIR_DATA_COUNT];	/* HISTOGRAM_BUCKETS, or NULL before use */
};

void log_sampler_init(struct log_sampler *s, const struct logs *logs,
		      const struct worker_shared *worker);
/* End the windows that are due; when the next one is (ns of CLOCK_MONOTONIC). */
uint64_t log_sampler_tick(struct log_sampler *s, uint64_t now_ns);
/* The worker has ended: the last, shorter windows, and all goes to the files. */
int log_sampler_finish(struct log_sampler *s, struct err *err);
void log_sampler_release(struct log_sampler *s);

#endif
