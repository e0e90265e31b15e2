/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_STATUS_H
#define IOGATE_STATUS_H

#include "run/progress.h"
#include "run/sampler.h"

enum status_state { STATUS_LAYOUT, STATUS_RAMP, STATUS_RUNNING, STATUS_FINISHING };

/* Live progress: one JSON line every interval on a file descriptor. A reader that does not
 * read gets no line, and the next one has it all: nothing waits for it. */
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
bool status_has_room(int fd);			/* a line can be written without waiting */

#endif
