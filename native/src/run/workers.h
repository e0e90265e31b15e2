/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_WORKERS_H
#define IOGATE_WORKERS_H

#include <sys/types.h>

#include "logs/replay.h"
#include "run/run_options.h"
#include "worker/worker.h"

/* A child process: of one worker, or of all the threads of a group. */
struct process {
	pid_t pid;
	int status;
	bool gone;			/* waited for: status is valid */
};

/* One clone of a job: what it works on, and where it runs. */
struct member {
	struct worker worker;
	struct target target;
	uint32_t clone, row;		/* row: index into result.rows */
	uint32_t job_number;		/* in the list of jobs, from 1 on */
	struct process own, *process;	/* process: own, or that of the group's first thread */
	bool due;			/* to be started now */
	bool started, gone;		/* gone: it has ended, and its books are closed */
	uint64_t start_ns, end_ns, start_unix_ms;
	uint64_t planned_bytes;		/* what it has to move; 0: only time ends it */
};

/* All clones of all jobs, group after group, and the memory they share. */
struct workers {
	struct member *members;
	/* one a member, NULL for most; as long as results */
	struct replay **replays;
	uint32_t count;
	struct run_control *control;	/* in front of the shared mapping */
	struct worker_shared *shared;	/* one a member */
	struct flow *flows;		/* the same; most of them unused */
	size_t mapped_bytes;
	struct file_lock *locks;	/* lock_table.h; NULL: none */
	size_t locks_bytes;
};

/* Clones, names, sizes and checks of all jobs: nothing is written yet. */
int workers_init(struct workers *workers, const struct job_list *jobs,
		 const struct run_options *options, struct err *err);
/* Frees all but the shared mapping and the replays, which results point to. */
void workers_release(struct workers *workers);
void workers_unmap(struct workers *workers);

/*
 * Start those of members first .. end-1 that did not start yet and wait for no other job
 * (wait_for): a process each, and one process for all of them that want to be threads. No
 * worker is a thread of the parent, so that it can always fork (the C library's aio does not
 * survive a fork), and none can take it down. A member that does not start says so itself
 * (shared->error).
 */
void workers_start(struct workers *workers, uint32_t first, uint32_t end);
/* It is not started, and the run goes on without it. */
bool member_waits(const struct member *m);
/* Has it ended? A process that died early is noted as the job's error. */
bool member_poll(struct member *m);
/* Wait for processes whose members have all ended. */
void workers_reap(struct workers *workers, uint32_t first, uint32_t end);

#endif
