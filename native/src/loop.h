/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_LOOP_H
#define IOGATE_LOOP_H

#include "engine.h"
#include "log_buffer.h"
#include "pattern.h"
#include "worker.h"

enum { LOOP_PLANNED = 128 };		/* offsets made at a time */

/*
 * The hot loop's state: everything is allocated before the clock starts. Slots
 * move between `free` and the engine; `planned` is what the pattern says comes next.
 */
struct loop {
	struct engine engine;
	struct worker_stats *stats;
	_Atomic uint32_t *stop;
	uint64_t event_ticks;		/* ramp or run ends here; 0: an error; UINT64_MAX: never */
	struct io **free, **batch, **done;	/* depth of each */
	uint32_t free_count, in_flight;
	uint32_t planned_next, planned_count;
	uint64_t stamp;			/* makes written blocks differ */

	struct pattern_io planned[LOOP_PLANNED];
	struct pattern pattern;
	uint64_t passes;		/* of the pattern, as far as caches are dropped for it */
	const struct worker *worker;
	const struct job *job;
	bool synchronous;		/* the engine's depth is 1: no slat */
	int error;			/* positive errno: the first failed I/O ends the job */

	/* Of the general loop. */
	bool extras;			/* account_extras() is to be told of each I/O */
	struct log_buffer *log;		/* of completed I/Os, or NULL */
	uint32_t writes_unsynced;
	uint16_t file_written;
};

/* Run until the pattern, the clock, an error or the parent ends it; then wait for
 * what is in flight. Picks the loop that the job needs. */
void loop_run(struct loop *l);

/* Of the loops themselves. */
void loop_run_general(struct loop *l);		/* thinktime, fsync */
bool loop_plan(struct loop *l);			/* more I/Os in planned; false: none are left */
bool loop_event(struct loop *l, uint64_t now);	/* at event_ticks: true when it is over */
void loop_engine_failed(struct loop *l, int code);
void loop_fail(struct loop *l, int error);	/* the first error; positive errno */
void loop_drain(struct loop *l);

/* Called at event_ticks, by the worker: true when the run is over. */
bool worker_event(struct loop *l, uint64_t now);

#endif
