/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_STATUS_H
#define IOGATE_STATUS_H

#include "progress.h"
#include "sampler.h"

enum status_state { STATUS_LAYOUT, STATUS_RAMP, STATUS_RUNNING, STATUS_FINISHING };

/* Live progress: one JSON line every interval on a file descriptor. */
struct status {
	int fd;				/* -1: none */
	uint64_t interval_ns, begin_ns, last_ns;
	const struct worker_shared **workers;
	uint32_t workers_count;
	struct counters last[DIR_DATA_COUNT];
	uint64_t *buckets_last[DIR_DATA_COUNT];	/* HISTOGRAM_BUCKETS, or NULL before use */
};

void status_init(struct status *s, const struct run_options *options);
void status_release(struct status *s);
void status_write(struct status *s, enum status_state state, struct progress progress);
bool status_due(const struct status *s, uint64_t now_ns);

#endif
