/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The room worker: one clone of a job, from its setup to its last I/O.
 *
 *	worker.h	the door: worker_run()
 *	worker_shared.h	what a worker is given, and what it and its parent show each other
 *	worker_setup.h	all that is allocated and opened before the clock starts
 *	job_needs.h	what a job asks for beyond one I/O after another, decided once
 *	loop.h		picks one of the three loops and runs it:
 *	loop_plain.h	I/O after I/O, timed
 *	loop_general.h	rates, thinktime, syncs, verify, logs: it looks at each I/O
 *	loop_untimed.h	gtod_reduce
 *	loop_state.h	struct loop: what they all work on, with what is rare
 *	loop_steps.h	the steps of a round, inlined into each loop
 *	account.h	counting what came back
 *	verify.h	headers and checksums in written blocks
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
