/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_WORKER_SETUP_H
#define IOGATE_WORKER_SETUP_H

#include <sys/resource.h>

#include "worker/buffers.h"
#include "worker/loop_state.h"

/* The loop with what only setup and the end need. */
struct worker_setup {
	const struct worker *worker;
	struct loop loop;
	struct err err;
	struct rusage usage_begin;
	uint64_t begin_ticks, begin_epoch_ms;
	struct log_buffer log, iolog;
	struct buffers buffers;
	bool engine_open;
};

void worker_setup_init(struct worker_setup *setup, const struct worker *w);
/* Buffers, slots, pattern, files and engine: 0, or -errno, told as the worker's error.
 * Release also after a failure. */
int worker_setup_make(struct worker_setup *setup);
void worker_setup_release(struct worker_setup *setup);

#endif
