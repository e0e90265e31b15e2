/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_LOG_WATCH_H
#define IOGATE_LOG_WATCH_H

#include "run/log_sampler.h"
#include "run/workers.h"

/* The logs of all workers. */
struct log_watch {
	struct logs *logs;			/* one a member */
	struct log_sampler *samplers;
	uint32_t count;
};

/* Make all log files, and let the workers know of theirs. 0 or -errno; release also
 * after a failure. */
int log_watch_init(struct log_watch *w, struct workers *workers, struct err *err);
/* Of members first .. end-1: windows that are due, and when the next one is; at their
 * end what is left, before anything changes their statistics. */
uint64_t log_watch_tick(struct log_watch *w, uint32_t first, uint32_t end, uint64_t now_ns);
void log_watch_finish(struct log_watch *w, struct workers *workers, uint32_t first, uint32_t end);
void log_watch_release(struct log_watch *w);

#endif
