/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

static const struct option rows[] = {
	{ "loops", NULL, &type_number, JOB(time.loops), "1",
	  .help = "Number of times to run the job." },
	{ "ramp_size", NULL, &type_size_value, JOB(time.ramp), "0",
	  .help = "Move this much before measuring; with ramp_time, until the first of both." },
	{ "ramp_time", NULL, &type_time, JOB(time.ramp_ns), "0", .unit_ns = SECOND,
	  .help = "Run this long before measuring." },
	{ "runtime", "timeout", &type_time, JOB(time.runtime_ns), "0", .unit_ns = SECOND,
	  .help = "Stop after this time; 0 is no limit: stop when everything is transferred." },
	{ "startdelay", NULL, &type_time_range, JOB(time.startdelay), "0", .unit_ns = SECOND,
	  .help = "Wait this long before the job starts; of a range each clone draws its own." },
	{ "time_based", NULL, &type_flag, JOB(time.based), "0",
	  .help = "Repeat the workload until the end of runtime." },
	{ .name = NULL },
};

const struct option_category options_time = { "Time", rows };
