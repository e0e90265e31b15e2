/* SPDX-License-Identifier: Apache-2.0 */
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

#endif
