/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

static const struct option_choice clocksource_choices[] = {
	{ "gettimeofday", CLOCK_GETTIME, "the same as clock_gettime" },
	{ "clock_gettime", CLOCK_GETTIME, "CLOCK_MONOTONIC of the kernel" },
	{ "cpu", CLOCK_CPU, "the time stamp counter, calibrated" },
	{ NULL, 0, NULL },
};

static const struct option rows[] = {
	{ "clat_percentiles", NULL, &type_bool, JOB(report.clat_percentiles), "1",
	  .help = "Report percentiles of completion latency." },
	{ "clocksource", NULL, &type_choice, JOB(report.clocksource),
	  .choices = clocksource_choices,
	  .help = "Clock of all jobs; without it cpu where that can be trusted." },
	{ "disable_bw_measurement", "disable_bw", &type_flag, JOB(report.disable_bw), "0",
	  .help = "Leave samples of bandwidth and IOPS out of the results." },
	{ "disable_clat", NULL, &type_flag, JOB(report.disable_clat), "0",
	  .help = "Leave completion latencies out of the results." },
	{ "disable_lat", NULL, &type_flag, JOB(report.disable_lat), "0",
	  .help = "Leave total latencies out of the results." },
	{ "disable_slat", NULL, &type_flag, JOB(report.disable_slat), "0",
	  .help = "Leave submission latencies out of the results." },
	{ "disk_util", NULL, &type_bool, JOB(report.disk_util), "1",
	  .help = "Report what the disks under the job's files did meanwhile." },
	{ "group_reporting", NULL, &type_flag, JOB(report.group_reporting), "0",
	  .help = "Report the clones of a job and its group in one row." },
	{ "gtod_reduce", NULL, &type_flag, JOB(report.gtod_reduce), "0",
	  .help = "Measure no latencies and take no samples: the clock is hardly read." },
	{ "lat_percentiles", NULL, &type_bool, JOB(report.lat_percentiles), "0",
	  .help = "Report percentiles of total latency, which is slat + clat." },
	{ "percentile_list", NULL, &type_percentiles, JOB(report.percentiles),
	  "1:5:10:20:30:40:50:60:70:80:90:95:99:99.5:99.9:99.95:99.99",
	  .help = "Which percentiles to report; at most 20." },
	{ "slat_percentiles", NULL, &type_bool, JOB(report.slat_percentiles), "0",
	  .help = "Report percentiles of submission latency, which only asynchronous engines "
		  "have." },
	{ .name = NULL },
};

const struct option_category options_report = { "Report", rows };
