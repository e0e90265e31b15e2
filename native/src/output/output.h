/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The room output: a result as text.
 *
 *	output.h	fio's JSON, its text for people, and its terse lines
 *	report.h	what both derive from a result in the same way
 *	output_amounts.h	bytes and rates for people
 *	output_latency.h	latencies for people
 *	output_json_run.h	what JSON says of the whole run
 *	output_json_series.h	what it says of each interval
 *	output_json_steady.h	what a job with steadystate came to
 *	output_file.h	stdout, or a file that appears only when it is complete
 */
#ifndef IOGATE_OUTPUT_H
#define IOGATE_OUTPUT_H

#include <stdio.h>

#include "run/result.h"

/* fio's JSON document, streamed; plus: with bins of every histogram (json+).
 * What fio does not have stands in an `iogate` object, top-level and per job. */
void output_json(FILE *out, const struct result *result, const struct job_list *jobs,
		 bool plus);
/* fio's text for people. */
void output_normal(FILE *out, const struct result *result, const struct job_list *jobs);
/* The lines of --idle-prof; without a profile the unit of work alone. */
void output_idleness(FILE *out, const struct idleness *idle);
/* A line of fields for each row, as version 2 to 5 of fio's terse output has them; version 2 has
 * the description on a line of its own, behind a semicolon. */
void output_terse(FILE *out, const struct result *result, int version);
/* The "name: (g=0): rw=…" lines before a run starts. */
void output_normal_jobs(FILE *out, const struct job_list *jobs);

#endif
