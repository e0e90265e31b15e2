/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_WORKER_SHARED_H
#define IOGATE_WORKER_SHARED_H

#include <stdatomic.h>

#include "job/job.h"
#include "logs/logs.h"
#include "stats/stats.h"
#include "target/target.h"

/* Life of a worker; it only moves forward. */
enum worker_state {
	WORKER_SETUP,			/* opening files and engine */
	WORKER_READY,			/* waits for the others of its group */
	WORKER_RAMP,			/* startdelay and ramp_time: nothing counts yet */
	WORKER_RUNNING,
	WORKER_DONE,
};

/* What one worker shows to the parent, in memory that both map: the same code for
 * a process and a thread. Written by the worker alone. */
struct worker_shared {
	_Atomic uint32_t state;
	bool in_ramp;			/* ramp_time is not over; still so at the end: all counts */
	bool refused;			/* the error is a refusal for safety */
	int32_t error;			/* positive errno; 0 */
	char error_text[512];
	uint64_t begin_ns;		/* CLOCK_MONOTONIC: what is counted begins */
	struct worker_stats stats;
} __attribute__((aligned(64)));

/* What the parent shows to all workers. The words are futexes. */
struct run_control {
	_Atomic uint32_t stop;		/* 1: end soon */
	_Atomic uint32_t go;		/* number of the last group that may start */
	_Atomic uint32_t events;	/* counts changes of state: the parent waits for it */
};

struct worker {
	const struct job *job;
	const struct target *target;
	struct run_control *control;
	struct worker_shared *shared;
	const struct logs *logs;	/* NULL: none */
	uint64_t seed;
	uint32_t group;			/* 1-based, for control->go */
	bool clock_per_io;		/* read the clock for each I/O, also in batches */
};

/* Note the first error of a worker. */
__attribute__((format(printf, 3, 4)))
void worker_error(struct worker_shared *shared, int error, const char *format, ...);

/* Sleep until *word differs from value, or for at most timeout_ns. */
void futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns);
void futex_wake_all(_Atomic uint32_t *word);

#endif
