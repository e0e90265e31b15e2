/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/units.h"

static const struct { const char *name; struct steady_criterion criterion; } criteria[] = {
	{ "iops", { .kind = STEADY_IOPS } },
	{ "iops_slope", { .kind = STEADY_IOPS, .slope = true } },
	{ "bw", { .kind = STEADY_BW } },
	{ "bw_slope", { .kind = STEADY_BW, .slope = true } },
	{ "lat", { .kind = STEADY_LAT } },
	{ "lat_slope", { .kind = STEADY_LAT, .slope = true } },
};

/* "0.3%", or a value with a unit. */
static int parse_limit(const struct option_destination *to, const char *text,
		       struct steady_criterion *criterion)
{
	char *rest;
	uint64_t whole = 0;
	int code = 0;

	criterion->limit = strtod(text, &rest);
	criterion->percent = *rest && !rest[units_percent_sign(rest)];
	if (rest == text || (*rest && !criterion->percent)) {
		code = criterion->kind == STEADY_LAT
		       ? units_time(text, 1000, &whole, to->err)
		       : units_number(text, to->kb_base, &whole, to->err);
		criterion->limit = (double)whole;
	} else if (!*rest && criterion->kind == STEADY_LAT) {
		criterion->limit *= 1000;
	}
	if (!code && !(criterion->limit >= 0 && isfinite(criterion->limit)))
		return err_set(to->err, -EINVAL, "'%.80s' is no limit", text);
	return code;
}

static int parse_steady(const struct option_destination *to, const char *text)
{
	const size_t length = strcspn(text, ":");

	for (size_t i = 0; i < sizeof(criteria) / sizeof(criteria[0]); i++) {
		struct steady_criterion criterion = criteria[i].criterion;
		int code;

		if (strlen(criteria[i].name) != length || memcmp(criteria[i].name, text, length))
			continue;
		if (!text[length])
			return err_set(to->err, -EINVAL, "a limit is missing: '%s:0.3%%'", text);
		code = parse_limit(to, text + length + 1, &criterion);
		criterion.name = criteria[i].name;
		if (!code)
			memcpy(to->field, &criterion, sizeof(criterion));
		return code;
	}
	return err_set(to->err, -EINVAL, "'%.80s' is not one of iops, iops_slope, bw, bw_slope, "
		       "lat, lat_slope, with a limit behind ':'", text);
}

static const struct option_type type_steady = {
	.words = "criterion:limit",
	.width = sizeof(struct steady_criterion),
	.parse = parse_steady,
};

/* latency_percentile=99.9 */
static int parse_fraction(const struct option_destination *to, const char *text)
{
	char *rest;
	const double percent = strtod(text, &rest);

	if (rest == text || *rest || !(percent >= 0 && percent <= 100))
		return err_set(to->err, -EINVAL, "'%.80s' is no number from 0 to 100", text);
	memcpy(to->field, &percent, sizeof(percent));
	return 0;
}

static const struct option_type type_fraction = {
	.words = "percent, with a fraction",
	.width = sizeof(double),
	.parse = parse_fraction,
};

static const struct option rows[] = {
	{ "latency_percentile", NULL, &type_fraction, JOB(latency.percentile), "100",
	  .help = "How many of the I/Os have to be within latency_target, in percent." },
	{ "latency_run", NULL, &type_bool, JOB(latency.run), "0",
	  .help = "Go on at the depth that meets latency_target, and follow it, in place of ending "
		  "the job there." },
	{ "latency_target", NULL, &type_time, JOB(latency.target_ns), "0", .unit_ns = 1000,
	  .help = "Look for the largest depth up to iodepth at which I/Os take no longer; a number "
		  "without unit is in microseconds." },
	{ "latency_window", NULL, &type_time, JOB(latency.window_ns), "0", .unit_ns = 1000,
	  .help = "Time at each depth that latency_target tries; a number without unit is in "
		  "microseconds." },
	{ "steadystate", "ss", &type_steady, JOB(steady.criterion), "iops_slope:0.01%",
	  .help = "End the job when this is below its limit (`iops:2%`: no value is further from "
		  "the mean; `bw_slope:0.1%`: the slope is below that part of it); needs "
		  "steadystate_duration." },
	{ "steadystate_check_interval", "ss_interval", &type_time, JOB(steady.interval_ns), "1",
	  .unit_ns = SECOND,
	  .help = "Time that each value of the steady state is taken over." },
	{ "steadystate_duration", "ss_dur", &type_time, JOB(steady.duration_ns), "0",
	  .unit_ns = SECOND,
	  .help = "The rolling window in which the state has to be steady; 0 is not to look." },
	{ "steadystate_ramp_time", "ss_ramp", &type_time, JOB(steady.ramp_ns), "0",
	  .unit_ns = SECOND,
	  .help = "Time before values of the steady state are taken." },
	{ .name = NULL },
};

const struct option_category options_steady = { "Latency targets and steady state", rows };
