/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

static const struct option rows[] = {
	{ "loops", NULL, &type_number, JOB(loops), "1", 1,
	  .help = "Run the job so many times over." },
	{ "ramp_time", NULL, &type_time, JOB(ramp_time_ns), "0", .unit_ns = SECOND,
	  .help = "Run so long before measuring." },
	{ "runtime", "timeout", &type_time, JOB(runtime_ns), "0", .unit_ns = SECOND,
	  .help = "Stop after this time; 0 is when all is transferred." },
	{ "startdelay", NULL, &type_time, JOB(startdelay_ns), "0", .unit_ns = SECOND,
	  .help = "Wait so long before the job starts." },
	{ "time_based", NULL, &type_flag, JOB(time_based), "0",
	  .help = "Go round until runtime is over, though all is transferred before." },
	{ .name = NULL },
};

const struct option_category options_time = { "Time", rows };
