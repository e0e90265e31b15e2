/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

static const struct option_choice rate_process_choices[] = {
	{ "linear", RATE_LINEAR, "evenly" },
	{ "poisson", RATE_POISSON, "at random, as independent users would" },
	{ NULL, 0, NULL },
};

static const struct option_choice think_choices[] = {
	{ "complete", THINK_COMPLETE, "I/Os that are done" },
	{ "issue", THINK_ISSUE, "I/Os handed over" },
	{ NULL, 0, NULL },
};

static const struct option rows[] = {
	{ "rate", NULL, &type_sizes, JOB(rate.bytes), "0",
	  .help = "Bytes a second that are due, `r,w,t`; what a slow device leaves behind is "
		  "caught up, and counts in intended_lat_ns." },
	{ "rate_cycle", "ratecycle", &type_number, JOB(rate.cycle_ms), "1000",
	  .counts = "ms",
	  .help = "Milliseconds over which rate_min and rate_iops_min are looked at." },
	{ "rate_ignore_thinktime", NULL, &type_bool, JOB(rate.ignore_thinktime), "0",
	  .help = "Do not catch up with the rate after a pause of thinktime." },
	{ "rate_iops", NULL, &type_sizes, JOB(rate.iops), "0",
	  .help = "I/Os a second that are due, `r,w,t`; overrides rate." },
	{ "rate_iops_min", NULL, &type_sizes, JOB(rate.min_iops), "0",
	  .help = "End the job with an error when a cycle has fewer I/Os a second, `r,w,t`; the "
		  "first 2 s are not looked at." },
	{ "rate_min", "ratemin", &type_sizes, JOB(rate.min_bytes), "0",
	  .help = "End the job with an error when a cycle moves fewer bytes a second, `r,w,t`; "
		  "the first 2 s are not looked at." },
	{ "rate_process", NULL, &type_choice, JOB(rate.process), "linear",
	  .choices = rate_process_choices,
	  .help = "How I/Os of a given rate are spread over time." },
	{ "thinkcycles", NULL, &type_number, JOB(think.cycles), "0",
	  .help = "Work of so many cycles after each I/O, or each thinktime_blocks, in front of "
		  "thinktime." },
	{ "thinktime", NULL, &type_time, JOB(think.pause_ns), "0", .unit_ns = 1000,
	  .help = "Pause after each I/O; a number without unit is in microseconds." },
	{ "thinktime_blocks", NULL, &type_number, JOB(think.blocks), "1",
	  .help = "I/Os between two pauses; 0 is the same as 1." },
	{ "thinktime_blocks_type", NULL, &type_choice, JOB(think.blocks_type), "complete",
	  .choices = think_choices,
	  .help = "Which I/Os thinktime_blocks counts; either way it counts them as they are "
		  "issued, and a pause begins when all of them are done." },
	{ "thinktime_iotime", NULL, &type_time, JOB(think.iotime_ns), "0", .unit_ns = SECOND,
	  .help = "Time of I/O between two pauses; with thinktime_blocks, the first of both." },
	{ "thinktime_spin", NULL, &type_time, JOB(think.spin_ns), "0", .unit_ns = 1000,
	  .help = "The first part of thinktime that is spent computing instead of asleep; a "
		  "number without unit is in microseconds." },
	{ .name = NULL },
};

const struct option_category options_rate = { "Pace", rows };
