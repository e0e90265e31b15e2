/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The room output: a result as text.
 *
 *	output.h	fio's JSON, and fio's text for people
 *	report.h	what both derive from a result in the same way
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
/* The "name: (g=0): rw=…" lines before a run starts. */
void output_normal_jobs(FILE *out, const struct job_list *jobs);

#endif
