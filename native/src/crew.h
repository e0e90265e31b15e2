/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_CREW_H
#define IOGATE_CREW_H

#include <pthread.h>

#include "run.h"
#include "worker.h"

/* One clone of a job: what it works on, and the process or thread that does. */
struct member {
	struct worker worker;
	struct target target;
	uint32_t clone, row;		/* row: index into result.rows */
	pid_t pid;			/* of the process; of the engine for a thread */
	pthread_t thread;
	bool started, gone;		/* gone: done, and waited for */
	uint64_t start_ns, end_ns, start_unix_ms;
	uint64_t planned_bytes;		/* what it has to move; 0: only time ends it */
};

/* All clones of all jobs, group after group, and the memory they share. */
struct crew {
	struct member *members;
	uint32_t count;
	struct run_control *control;	/* in front of the shared mapping */
	struct worker_shared *shared;	/* one a member */
	size_t mapped_bytes;
};

/* Clones, names, sizes and checks of all jobs: nothing is written yet. */
int crew_init(struct crew *c, const struct job_list *jobs, const struct run_options *options,
	      struct err *err);
/* Frees all but the shared mapping, which results point into. */
void crew_release(struct crew *c);
void crew_unmap(struct crew *c);

/* Start one member; its failure is its own (shared->error). */
void member_start(struct member *m);
/* Has it ended? A process that died early is noted as the job's error. */
bool member_poll(struct member *m);

#endif
