/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_LOOP_STATE_H
#define IOGATE_LOOP_STATE_H

#include "engines/engine.h"
#include "logs/log_buffer.h"
#include "pattern/pattern.h"
#include "pattern/rate.h"
#include "target/target.h"
#include "worker/job_needs.h"
#include "worker/verify.h"
#include "worker/worker_shared.h"

enum { LOOP_PLANNED = 128 };		/* offsets made at a time */

/* What only the general loop knows. */
struct slow {
	uint64_t begin_ticks;
	struct rate rate;

	uint8_t *dirty;			/* by file: written since the last sync */
	uint32_t dirty_count, sync_file, writes_unsynced;

	uint64_t think_left, think_ticks;	/* I/Os until the next pause; or when it is */
	bool emptying;			/* iodepth_low: nothing new for now */

	struct random noise;		/* refill_buffers */
	struct verify verify;
	bool verifying;
	int verify_error;
	uint64_t taken, verify_left;	/* planned I/Os: done once, to be looked at again */
	uint64_t verify_ticks;		/* when that began; 0: it did not */
};

/*
 * The hot loop's state: everything is allocated before the clock starts. Slots
 * move between `free` and the engine; `planned` is what the pattern says comes next.
 */
struct loop {
	struct engine engine;
	struct worker_stats *stats;
	_Atomic uint32_t *stop;
	/* ramp or run ends here; 0: an error; UINT64_MAX: never */
	uint64_t event_ticks;
	struct io **free, **batch, **done;	/* depth of each */
	uint32_t free_count, in_flight;
	uint32_t batch_submit, reap_min;	/* I/Os handed over, and waited for, at a time */
	uint32_t planned_next, planned_count;
	uint64_t stamp;			/* makes written blocks differ */

	struct pattern_io planned[LOOP_PLANNED];
	struct pattern pattern;
	uint64_t passes;		/* of the pattern, as far as caches are dropped for it */
	const struct job *job;
	const struct target *target;
	struct worker_shared *shared;	/* where errors are told */
	uint64_t seed;
	bool synchronous;		/* the engine is: no slat */
	bool one;			/* the loop of one slot ran: its levels are settled */
	int error;			/* positive errno: the first failed I/O ends the job */

	/* Called at event_ticks: true when the run is over, or else event_ticks is another. */
	bool (*at_event)(void *context, uint64_t now);
	void *event_context;

	/* Of the general loop. */
	struct job_needs needs;
	bool clock_per_io;		/* read the clock for each I/O, also in batches */
	struct log_buffer *log;		/* of completed I/Os, or NULL */
	struct log_buffer *iolog;	/* of issued I/Os, or NULL */
	struct slow slow;
};

/* The pattern from its first I/O on; once more, it is the same again. 0, or -errno with *err. */
int loop_begin_pattern(struct loop *l, struct err *err);
/* more I/Os in planned; false: none are left */
bool loop_plan(struct loop *l);
bool loop_event(struct loop *l, uint64_t now);	/* at event_ticks: true when it is over */
void loop_engine_failed(struct loop *l, int code);
void loop_fail(struct loop *l, int error);	/* the first error; positive errno */
void loop_again(struct loop *l, struct io *io);	/* hand over the rest of a short I/O */

#endif
