/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_LOOP_H
#define IOGATE_LOOP_H

#include "engine.h"
#include "pattern.h"
#include "worker.h"

enum { LOOP_PLANNED = 128 };		/* offsets made at a time */

/*
 * The hot loop's state: everything is allocated before the clock starts. Slots
 * move between `free` and the engine; `planned` is what the pattern says comes next.
 */
struct loop {
	const struct worker *worker;
	const struct job *job;
	struct engine engine;
	struct pattern pattern;
	struct worker_stats *stats;

	struct io **free, **batch, **done;	/* depth of each */
	uint32_t free_count, in_flight;
	uint32_t planned_next, planned_count;
	uint64_t passes;		/* of the pattern, as far as caches are dropped for it */
	struct pattern_io planned[LOOP_PLANNED];

	bool synchronous;		/* the engine's depth is 1: no slat */
	bool general;			/* thinktime, fsync: the loop that looks at each I/O */
	uint64_t event_ticks;		/* ramp or run ends here; UINT64_MAX: never */
	uint64_t stamp;			/* makes written blocks differ */
	int error;			/* positive errno: the first failed I/O ends the job */

	/* Of the general loop. */
	uint32_t writes_unsynced;
	uint16_t file_written;
};

/* Until the pattern, the clock, an error or the parent ends it; then what is in
 * flight is waited for. */
void loop_run(struct loop *l);
/* The same, with thinktime and fsync. */
void loop_run_general(struct loop *l);

/* Steps that both share. */
bool loop_over(struct loop *l, uint64_t now);		/* also moves from ramp to run */
uint64_t loop_commit(struct loop *l, uint32_t n);	/* batch[0..n) handed over: the time */
uint64_t loop_complete(struct loop *l, uint32_t min, uint32_t *count);	/* reaped and counted */
void loop_drain(struct loop *l);
bool loop_plan(struct loop *l);				/* false: nothing is left to do */
void loop_take(struct loop *l, const struct pattern_io *planned, uint32_t index, uint64_t now);

/* Called at event_ticks, by the worker: true when the run is over. */
bool worker_event(struct loop *l, uint64_t now);

#endif
