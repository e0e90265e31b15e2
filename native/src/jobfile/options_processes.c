/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

enum { CLONES_MAX = 4096 };

static const struct option rows[] = {
	{ "cpus_allowed", NULL, &type_cpus, JOB(process.cpus_allowed),
	  .help = "CPUs that the job's clones share; without it, all of them." },
	{ "exitall", NULL, &type_flag, JOB(process.exitall), "0",
	  .help = "When a clone of this job ends, end the other jobs of its group, too." },
	{ "numjobs", NULL, &type_number, JOB(process.numjobs), "1", 1, CLONES_MAX,
	  .help = "Clones of the job that run at once." },
	{ "stonewall", "wait_for_previous", &type_flag, JOB(process.stonewall), "0",
	  .help = "Start when all jobs before this one have ended; it begins a new group." },
	{ "thread", NULL, &type_flag, JOB(process.thread), "0",
	  .help = "Run clones as threads instead of processes." },
	{ .name = NULL },
};

const struct option_category options_processes = { "Processes and order", rows };
