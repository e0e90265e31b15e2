/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

enum { COARSENESS_MAX = 6 };

static const struct option_choice window_choices[] = {
	{ "avg", LOG_AVERAGE, "the average" },
	{ "0", LOG_AVERAGE, "the same as avg" },
	{ "max", LOG_MAXIMUM, "the longest" },
	{ "1", LOG_MAXIMUM, "the same as max" },
	{ "both", LOG_BOTH, "the average, and behind it the longest" },
	{ NULL, 0, NULL },
};

static const struct option rows[] = {
	{ "log_alternate_epoch_clock_id", NULL, &type_number, JOB(log.epoch_clock), "0",
	  .help = "The clock of log_unix_epoch, as clock_gettime(2) numbers them; 0 is Unix "
		  "time." },
	{ "log_avg_msec", NULL, &type_number, JOB(log.avg_ms), "0",
	  .counts = "ms",
	  .help = "Average the bandwidth, IOPS and latency logs over this many ms a row; 0 is "
		  "a row for every I/O." },
	{ "log_compression", NULL, &type_number, JOB(log.packed_bytes), "0",
	  .help = "Bytes of rows that log_store_compressed compresses together, 1 KiB to 256 KiB; "
		  "without it, does nothing." },
	{ "log_compression_cpus", NULL, &type_text, JOB(nothing.text), NULL,
	  .help = "Does nothing: rows are compressed when the job has ended." },
	{ "log_entries", NULL, &type_number, JOB(nothing.number), "1024", 1,
	  1 << 20,
	  .help = "Does nothing: memory for rows is taken in large pieces." },
	{ "log_hist_coarseness", NULL, &type_number, JOB(log.hist_coarseness), "0", 0,
	  COARSENESS_MAX,
	  .help = "Add up 2^n neighbouring buckets in the histogram log." },
	{ "log_hist_msec", NULL, &type_number, JOB(log.hist_ms), "0",
	  .counts = "ms",
	  .help = "Milliseconds of completions in a row of the histogram log." },
	{ "log_issue_time", NULL, &type_bool, JOB(log.issue_time), "0",
	  .help = "Log when each I/O was issued, in ns since the job's start; needs write_lat_log "
		  "and log_offset." },
	{ "log_offset", NULL, &type_bool, JOB(log.offset), "0",
	  .help = "Log the offset of each I/O, too." },
	{ "log_prio", NULL, &type_bool, JOB(log.prio), "0",
	  .help = "Log the priority of each I/O as `0x2004`, class and level; without it 1 is a "
		  "high one." },
	{ "log_store_compressed", NULL, &type_bool, JOB(log.packed), "0",
	  .help = "Compress logs, to NAME.log.fz; --inflate-log=FILE prints one. Histogram logs "
		  "stay text." },
	{ "log_unix_epoch", "log_alternate_epoch", &type_bool, JOB(log.unix_epoch), "0",
	  .keeps_alias = true,
	  .help = "Times in logs are Unix times in ms, not ms since the job's start." },
	{ "log_window_value", "log_max_value", &type_choice, JOB(log.window), "avg",
	  .choices = window_choices, .keeps_alias = true,
	  .help = "What latency logs with log_avg_msec tell of a window." },
	{ "per_job_logs", NULL, &type_bool, JOB(log.per_job), "1",
	  .help = "Each clone of each job has log files of its own; without it, jobs of the "
		  "same log name share them." },
	{ "write_bw_log", NULL, &type_log_name, JOB(log.bw),
	  .help = "Log bandwidth, in KiB/s, to NAME_bw.N.log; N counts the clones of all jobs." },
	{ "write_hist_log", NULL, &type_log_name, JOB(log.hist),
	  .help = "Log histograms of completion latency to NAME_clat_hist.N.log; needs "
		  "log_hist_msec." },
	{ "write_iops_log", NULL, &type_log_name, JOB(log.iops),
	  .help = "Log IOPS to NAME_iops.N.log." },
	{ "write_lat_log", NULL, &type_log_name, JOB(log.lat),
	  .help = "Log submission, completion and total latency, in ns, to NAME_slat.N.log, "
		  "NAME_clat.N.log and NAME_lat.N.log." },
	{ .name = NULL },
};

const struct option_category options_logs = { "Logs", rows };
