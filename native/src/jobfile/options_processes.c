/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

enum { CLONES_MAX = 4096, FLOW_MOST = 1000 };

static const struct option_choice exit_choices[] = {
	{ "group", EXIT_GROUP, "the jobs of its group" },
	{ "stonewall", EXIT_WAVE, "all that run at that moment" },
	{ "all", EXIT_ALL, "all jobs, also those that did not start yet" },
	{ NULL, 0, NULL },
};

static const struct option rows[] = {
	{ "exec_postrun", NULL, &type_text, JOB(process.run_after),
	  .help = "Command that the shell runs when a clone of the job has ended, well or not; "
		  "what it prints goes to JOB.postrun.txt." },
	{ "exec_prerun", NULL, &type_text, JOB(process.run_before),
	  .help = "Command that the shell runs before a clone of the job begins, which fails if "
		  "the command does; what it prints goes to JOB.prerun.txt." },
	{ "exit_what", NULL, &type_choice, JOB(process.exit_what), "group",
	  .choices = exit_choices,
	  .help = "Whom exitall and exitall_on_error end." },
	{ "exitall", NULL, &type_flag, JOB(process.exitall), "0",
	  .help = "When a clone of this job ends, end the other jobs of its group, too." },
	{ "exitall_on_error", NULL, &type_flag, JOB(process.exitall_on_error), "0",
	  .help = "When a clone of this job fails, end the other jobs of its group, too." },
	{ "flow", NULL, &type_number, JOB(process.flow), "0", .max = FLOW_MOST,
	  .help = "Weight of the job's share in the I/Os of all jobs of its flow_id; 0: it "
		  "waits for none." },
	{ "flow_id", NULL, &type_number, JOB(process.flow_id), "0",
	  .help = "Jobs with the same number share their I/Os by flow." },
	{ "flow_sleep", NULL, &type_number, JOB(process.flow_sleep_us), "0",
	  .counts = "us",
	  .help = "Microseconds that a job which is past its share sleeps before it looks "
		  "again." },
	{ "flow_watermark", NULL, &type_text, JOB(nothing.text), .whole = true,
	  .help = "Taken, and does nothing, as in fio: a word of older versions." },
	{ "job_start_clock_id", NULL, &type_number, JOB(process.start_clock), "0",
	  .help = "Clock of job_start in the JSON, by its number in clock_gettime(2); 0: Unix "
		  "time." },
	{ "new_group", NULL, &type_flag, JOB(process.new_group), "0",
	  .help = "Begin a new group in the report; the job starts with those before it." },
	{ "numjobs", NULL, &type_number, JOB(process.numjobs), "1", 1, CLONES_MAX,
	  .help = "Clones of the job that run at once." },
	{ "profile", NULL, &type_text, JOB(nothing.text), .whole = true,
	  .help = "Taken in a job file, and does nothing there, as in fio; on the command line it "
		  "makes jobs." },
	{ "stonewall", "wait_for_previous", &type_flag, JOB(process.stonewall), "0",
	  .help = "Start when all jobs before this one have ended; it begins a new group." },
	{ "thread", NULL, &type_flag, JOB(process.thread), "0",
	  .help = "Run clones as threads instead of processes." },
	{ "threads", NULL, &type_number, JOB(nothing.number), "0", .whole = true,
	  .help = "Taken, and does nothing, as in fio, where it is of a profile; thread=1 makes "
		  "threads." },
	{ "wait_for", NULL, &type_text, JOB(process.wait_for),
	  .help = "Name of a job before this one, of which all clones have to end first." },
	{ .name = NULL },
};

const struct option_category options_processes = { "Processes and order", rows };
