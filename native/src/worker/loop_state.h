/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_LOOP_STATE_H
#define IOGATE_LOOP_STATE_H

#include "engines/engine.h"
#include "logs/log_buffer.h"
#include "pattern/content.h"
#include "pattern/pattern.h"
#include "pattern/rate.h"
#include "target/target.h"
#include "verify/state.h"
#include "verify/verify.h"
#include "worker/job_needs.h"
#include "worker/verify_threads.h"
#include "worker/worker_shared.h"
#include "worker/written.h"

enum { LOOP_PLANNED = 128 };		/* offsets made at a time */

/* Of latency_target: depths that met it and that did not, and the window at hand. */
struct depth_search {
	uint32_t depth, under, over;
	uint64_t ios, met, end_ticks;
};

/* Of verify (worker/loop_verify.h). */
struct checking {
	struct verify verify;
	struct written written;
	struct written_block *slots;	/* what each holds, or NULL */
	bool keeps;			/* what is written, to look at it again */
	bool on, ended;			/* looking; and for the last time */
	bool new_loop;			/* all of the loop before it is looked at first */
	uint32_t left, looked_index;	/* reads of this look; writes without those still unread */
	struct verify_threads *threads;	/* or NULL */
	struct verify_state state, limit;	/* to be saved; and what was loaded, with last */
	bool by_sync;			/* verify_policy=fsynced: writes before `synced` only */
	bool round;			/* files are left that the sync at hand is for */
	uint32_t synced, covers;	/* writes that are safe; that those in flight make safe */
	uint32_t syncing;		/* syncs in flight */
	struct trimming {		/* worker/loop_trims.h */
		struct written chosen;	/* still to be trimmed, the oldest first */
		struct random draws;
		uint32_t done_index;	/* writes until the last time */
		uint64_t left;		/* trims of this time */
		bool on;
	} trims;
	uint64_t looked;		/* planned reads of a job that only reads */
	uint64_t begin_ticks, ticks;	/* of this look; of those before */
	int error;
};

/* What only the general loop knows. */
struct slow {
	uint64_t begin_ticks;
	struct rate rate;

	uint8_t *dirty;			/* by file: written since the last sync */
	uint32_t dirty_count, sync_file, writes_unsynced;
	struct byte_range { uint64_t from, to; } *ranges;	/* by file, for sync_file_range */
	uint32_t writes_unranged;
	uint32_t trims;			/* in flight */

	uint64_t think_left, think_ticks;	/* I/Os until the next pause; or when it is */
	uint64_t ramp_bytes;		/* until which nothing counts; 0: all does */
	bool emptying;			/* iodepth_low: nothing new for now */

	uint64_t pace_ticks;		/* when rate_min is looked at next; UINT64_MAX: never */
	struct dir_amount {
		uint64_t ios, bytes;
	} pace[DIR_DATA_COUNT];		/* counted until its cycle began */
	bool paced;			/* one has begun */
	struct pattern_io *flying;	/* serialize_overlap: by slot, length 0 if none; or NULL */

	uint16_t *priorities;		/* by slot, of a job with cmdprio; or NULL */
	struct random choices;		/* of them */

	struct depth_search search;
	/* of a job that opens files when they have their turn: which ones are (open_files.h) */
	struct open_files { uint32_t *files, count, limit; } open;
	/* lockfile, by file: I/Os in flight, and whether it is held to write (file_locks.h) */
	struct held_lock { uint32_t ios; bool writes; } *held;
	uint64_t loops;			/* of the pattern, as far as files are made for them */

	struct content content;		/* of writes that are not noise as it was */
	struct checking checking;
	bool full;			/* fill_device: there is no space left */
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
	uint32_t planned_next, planned_count, planned_most;
	uint64_t stamp;			/* makes written blocks differ */

	struct pattern_io planned[LOOP_PLANNED];
	struct pattern pattern;
	uint64_t passes;		/* of the pattern, as far as caches are dropped for it */
	const struct job *job;
	const struct target *target;
	const struct worker *worker;
	struct worker_shared *shared;	/* where errors are told */
	uint64_t seed;
	uint32_t index;			/* of the clone, among all of all jobs */
	bool synchronous;		/* the engine is: no slat */
	bool alone;			/* one I/O in flight at a time: its levels are settled */
	int error;			/* positive errno: the first failed I/O ends the job */

	/* Called at event_ticks: true when the run is over, or else event_ticks is another. */
	bool (*at_event)(void *context, uint64_t now);
	void *event_context;

	/* Of the general loop. */
	struct job_needs needs;
	const struct worker *flow;	/* has a share with others; or NULL */
	bool clock_per_io;		/* read the clock for each I/O, also in batches */
	struct log_buffer *log;		/* of completed I/Os, or NULL */
	struct log_buffer *iolog;	/* of issued I/Os, or NULL */
	struct slow slow;
};

/* It should end soon. */
static inline bool loop_stopped(const struct loop *l)
{
	return atomic_load_explicit(l->stop, memory_order_relaxed);
}

/* The pattern from its first I/O on; once more, it is the same again. 0, or -errno with *err. */
int loop_begin_pattern(struct loop *l, struct err *err);
/* more I/Os in planned; false: none are left */
bool loop_plan(struct loop *l);
bool loop_event(struct loop *l, uint64_t now);	/* at event_ticks: true when it is over */
void loop_engine_failed(struct loop *l, int code);
void loop_fail(struct loop *l, int error);	/* the first error; positive errno */
void loop_stamp(struct loop *l, const struct io *io);	/* a write: nothing in it repeats */
void loop_again(struct loop *l, struct io *io);	/* hand over the rest of a short I/O */

#endif
