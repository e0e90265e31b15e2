/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The room run: all jobs of a call, from checks to results.
 *
 *	run.h		the door: run_jobs()
 *	run_options.h	what the command line says beside the jobs
 *	result.h	what a run gives: rows, disks, the clock
 *	workers.h	all clones of all jobs: processes, threads and the memory they share
 *	run_state.h	all that a run has while it goes on
 *	group.h		the workers that run at the same time, from their start to their end
 *	stop.h		that a run is to end, asked for by a signal
 *	lock_table.h	the locks of files that jobs have in turn
 *	cgroups.h	control groups, and that none of them is left behind
 *	rows.h		rows of the report: one a clone or one a group
 *	steady.h	whether a row has come to a steady state, and the stop of its workers
 *	sampler.h	series over time, from the workers' growing counters
 *	log_sampler.h	the same for the logs of one worker
 *	log_watch.h	the logs of all workers
 *	progress.h	how far a run is
 *	status.h	that as JSON lines for --status-fd
 *	snapshot.h	the result so far, for --status-interval
 *	disk_util.h	counters of the disks below the targets
 *	idleness.h	how idle the CPUs were (--idle-prof)
 *	bandwidth_log.h	what all jobs move together (--bandwidth-log)
 *	trigger.h	what ends a run from outside (--trigger)
 *	clock_facts.h	what a run was timed with
 *
 * The parent looks at what workers count, from outside: they do nothing for it.
 */
#ifndef IOGATE_RUN_H
#define IOGATE_RUN_H

#include "run/result.h"
#include "run/run_options.h"
#include "util/err.h"

/*
 * Run all jobs, group after group, and fill *result (release with result_release).
 * 0, also when I/Os failed (those are data: job_result.error and worker_stats.errors);
 * -errno with *err when the run could not take place.
 */
int run_jobs(const struct job_list *jobs, const struct run_options *options,
	     struct result *result, struct err *err);
void result_release(struct result *result);

/* From a signal handler: end all workers soon; what was measured is kept. */
void run_request_stop(void);
/* The same: hand what there is so far to options->look; the run goes on. */
void run_request_look(void);

#endif
