/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The room worker: one clone of a job, from its setup to its last I/O.
 *
 *	worker.h	the door: worker_run()
 *	worker_shared.h	what a worker is given, and what it and its parent show each other
 *	worker_setup.h	all that is allocated and opened before the clock starts
 *	buffers.h	the memory of I/O buffers, of the kind that a job asks for
 *	placement.h	the CPUs, memory, priority and user that it works with
 *	programs.h	what a job runs before and after its I/O
 *	job_needs.h	what a job asks for beyond one I/O after another, decided once
 *	loop.h		picks one of the three loops and runs it:
 *	loop_plain.h	I/O after I/O, timed
 *	loop_general.h	rates, thinktime, syncs, verify, logs: it looks at each I/O
 *	syncs.h		fsync and its family among the writes
 *	file_locks.h	files that jobs have in turn
 *	open_files.h	files that are opened when they have their turn
 *	loop_verify.h	when it reads again what it wrote
 *	loop_trims.h	and when it trims some of that first
 *	written.h	what that was
 *	flow.h		shares of I/Os between jobs
 *	pauses.h	waiting: for a moment, thinktime, and the others of a flow
 *	ramp.h		a ramp that ends with an amount of I/O
 *	verify_threads.h	threads that look at blocks meanwhile
 *	verify_state.h	how far it has come, in a file
 *	verify_dump.h	what is damaged, in files
 *	pace.h		whether a job keeps the rate that it has to
 *	latency_target.h	the depth at which latencies are what a job asks for
 *	loop_untimed.h	gtod_reduce
 *	loop_state.h	struct loop: what they all work on, with what is rare
 *	loop_steps.h	the steps of a round, inlined into each loop
 *	account.h	counting what came back
 *
 * A loop knows nothing of the worker around it: that is called back when the ramp or the
 * runtime is over (struct loop, at_event).
 */
#ifndef IOGATE_WORKER_H
#define IOGATE_WORKER_H

#include "worker/worker_shared.h"

/* Run the worker from setup to WORKER_DONE; errors end up in shared. */
void worker_run(const struct worker *w);

#endif
