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
	bool in_ramp;			/* the ramp is not over; still so at the end: all counts */
	bool refused;			/* the error is a refusal for safety */
	_Atomic bool verifying;		/* it reads again what it wrote */
	_Atomic uint32_t stop;		/* a futex; 1: end soon, whoever wants it */
	uint32_t latency_depth;		/* what latency_target has come to; 0: there is none */
	int32_t error;			/* positive errno; 0 */
	int32_t passed_error;		/* the first after which it went on; 0 */
	char error_text[512];
	uint64_t flow_ios;		/* its part of struct flow */
	uint32_t flow_weight;
	uint64_t begin_ns;		/* CLOCK_MONOTONIC: what is counted begins */
	struct worker_stats stats;
	/* Of the rows of each I/O in logs of bandwidth and IOPS; n is 0 without. */
	struct rate_samples logged[DIR_DATA_COUNT];
} __attribute__((aligned(64)));

/* Of jobs with the same flow_id (worker/flow.h): what all of them did, and their weights. */
struct flow {
	_Atomic uint64_t ios;
	_Atomic uint32_t weight;
} __attribute__((aligned(64)));

/* Of files with one name, of jobs with lockfile: free at 0, and else how many read, or who
 * writes (worker/file_locks.h). A futex. */
struct file_lock {
	_Atomic uint32_t state, waiters;
};

/* What the parent shows to all workers. The words are futexes. */
struct run_control {
	_Atomic uint32_t stop;		/* 1: end soon; passed on to the workers' own words */
	_Atomic uint32_t go;		/* number of the last group that may start */
	_Atomic uint32_t events;	/* counts changes of state: the parent waits for it */
};

struct worker {
	const struct job *job;
	const struct target *target;
	struct run_control *control;
	struct worker_shared *shared;
	struct flow *flow;		/* NULL: none */
	struct file_lock *locks;	/* of all files, by target_file.lock; NULL: none */
	_Atomic uint8_t *reads;		/* by lock: this worker holds it to read */
	const char *cgroup;		/* the file by which it joins one; NULL: none */
	const struct logs *logs;	/* NULL: none */
	uint64_t seed;
	uint32_t group;			/* 1-based, for control->go */
	uint32_t index;			/* among all clones of all jobs */
	bool clock_per_io;		/* read the clock for each I/O, also in batches */
};

/* Note the first error of a worker; 0: one that it passes, told until there is another. */
__attribute__((format(printf, 3, 4)))
void worker_error(struct worker_shared *shared, int error, const char *format, ...);

/* Sleep until *word differs from value, or for at most timeout_ns. */
void futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns);
void futex_wake_all(_Atomic uint32_t *word);

#endif
