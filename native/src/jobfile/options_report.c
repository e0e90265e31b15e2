/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

static const struct option_choice clocksource_choices[] = {
	{ "gettimeofday", CLOCK_GETTIME, "the same as clock_gettime" },
	{ "clock_gettime", CLOCK_GETTIME, "CLOCK_MONOTONIC of the kernel" },
	{ "cpu", CLOCK_CPU, "the time stamp counter, calibrated" },
	{ NULL, 0, NULL },
};

static const struct option_choice unified_choices[] = {
	{ "none", UNIFIED_NONE, "each direction by itself" },
	{ "0", UNIFIED_NONE, "the same as none" },
	{ "mixed", UNIFIED_MIXED, "all directions together" },
	{ "1", UNIFIED_MIXED, "the same as mixed" },
	{ "both", UNIFIED_BOTH, "each by itself, and all together" },
	{ "2", UNIFIED_BOTH, "the same as both" },
	{ NULL, 0, NULL },
};

static const struct option_choice kb_choices[] = {
	{ "1024", 1024, "4k is 4096, and reports begin with KiB" },
	{ "1000", 1000, "4k is 4000, and reports begin with kB" },
	{ NULL, 0, NULL },
};

static const struct option_choice unit_choices[] = {
	{ "0", 0, "bytes" },
	{ "8", 8, "bytes" },
	{ "1", 1, "bits" },
	{ NULL, 0, NULL },
};

static const struct option rows[] = {
	{ "block_error_percentiles", NULL, &type_bool, JOB(nothing.flag), "0",
	  .help = "Does nothing: errors are counted by errno in the results." },
	{ "bwavgtime", NULL, &type_number, JOB(report.bw_avg_ms), "500",
	  .counts = "ms",
	  .help = "Milliseconds of each sample of bandwidth." },
	{ "clat_percentiles", NULL, &type_bool, JOB(report.clat_percentiles), "1",
	  .help = "Report percentiles of completion latency." },
	{ "clocksource", NULL, &type_choice, JOB(report.clocksource),
	  .choices = clocksource_choices,
	  .help = "Clock of all jobs; without it cpu where that can be trusted." },
	{ "disable_bw_measurement", "disable_bw", &type_bool, JOB(report.disable_bw), "0",
	  .help = "Leave samples of bandwidth and IOPS out of the results." },
	{ "disable_clat", NULL, &type_bool, JOB(report.disable_clat), "0",
	  .help = "Leave completion latencies out of the results." },
	{ "disable_lat", NULL, &type_bool, JOB(report.disable_lat), "0",
	  .help = "Leave total latencies out of the results." },
	{ "disable_slat", NULL, &type_bool, JOB(report.disable_slat), "0",
	  .help = "Leave submission latencies out of the results." },
	{ "disk_util", NULL, &type_bool, JOB(report.disk_util), "1",
	  .help = "Report the activity of the disks under the job's files." },
	{ "group_reporting", NULL, &type_flag, JOB(report.group_reporting), "0",
	  .help = "Report the clones of a job and its group in one row." },
	{ "gtod_reduce", NULL, &type_bool, JOB(report.gtod_reduce), "0",
	  .help = "Measure no latencies and take no samples: the clock is hardly read." },
	{ "iopsavgtime", NULL, &type_number, JOB(report.iops_avg_ms), "500",
	  .counts = "ms",
	  .help = "Milliseconds of each sample of IOPS." },
	{ "kb_base", NULL, &type_choice, JOB(report.kb_base), "1024", .choices = kb_choices,
	  .help = "What k, m, g, … stand for in this section; KiB is 1024 bytes either way." },
	{ "lat_percentiles", NULL, &type_bool, JOB(report.lat_percentiles), "0",
	  .help = "Report percentiles of total latency, which is slat + clat." },
	{ "percentile_list", NULL, &type_percentiles, JOB(report.percentiles),
	  "1:5:10:20:30:40:50:60:70:80:90:95:99:99.5:99.9:99.95:99.99",
	  .help = "Which percentiles to report; at most 20." },
	{ "significant_figures", NULL, &type_number, JOB(report.figures), "4", 1, 10,
	  .help = "Characters of a rate in reports for people." },
	{ "slat_percentiles", NULL, &type_bool, JOB(report.slat_percentiles), "0",
	  .help = "Report percentiles of submission latency, which only asynchronous engines "
		  "have." },
	{ "stats", NULL, &type_bool, JOB(report.stats), "1",
	  .help = "Report the job; with 0 it runs and is left out of the results." },
	{ "unified_rw_reporting", NULL, &type_choice, JOB(report.unified), "none",
	  .choices = unified_choices,
	  .help = "Report the directions of I/O by themselves, or all together." },
	{ "unit_base", NULL, &type_choice, JOB(report.unit_base), "0", .choices = unit_choices,
	  .help = "Unit of rates in reports for people." },
	{ .name = NULL },
};

const struct option_category options_report = { "Report", rows };
