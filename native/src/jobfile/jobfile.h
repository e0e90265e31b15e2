/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The room jobfile: text to jobs, and back. Pure: it prints nothing, and reads no file by
 * itself but one that a buffer_pattern names.
 *
 *	jobfile.h		the door: sections in, a list of jobs out
 *	job_source.h		what a job file may ask of the world outside
 *	options.h		the tables of options by category: a row is an option, its
 *				default and its help
 *	options_parts.h		for the files of the categories, options_*.c
 *	sections.h		what was read, before it means anything; variables in it
 *	dedupe_sets.h		which jobs repeat writes from one working set
 *	given.h			which options sections gave, each once with its last value
 *	resolve_checks.h	what shows only when all options of a job are known
 *	check.h			for the files of these, check*.c
 *	unsupported_options.h	names that fio has and this engine has not yet
 *	help.h			--cmdhelp, --enghelp, --showcmd and docs/options.md, from the tables
 *
 * Text goes from jobfile.c (sections) to variables.c, resolve.c (options to fields by
 * the types of job/option.h) and resolve_checks.c.
 */
#ifndef IOGATE_JOBFILE_H
#define IOGATE_JOBFILE_H

#include <stddef.h>

#include "job/job.h"
#include "jobfile/job_source.h"
#include "util/err.h"

/*
 * Job-file text to jobs. Pure: reads no file, prints nothing. `name` is used in
 * messages ("name:3:7: unknown option ..."). A builder collects sections from
 * several files and from the command line; job_builder_finish resolves them.
 */
struct job_builder;

struct job_builder *job_builder_new(const struct job_source *source);	/* NULL: none */
void job_builder_free(struct job_builder *b);
int job_builder_file(struct job_builder *b, const char *name, const char *text,
		     size_t length, struct err *err);
/* What follows on the command line belongs to this job; names that begin with
 * "global" set defaults for the jobs after it. */
int job_builder_section(struct job_builder *b, const char *name, struct err *err);
int job_builder_option(struct job_builder *b, const char *key, const char *value,
		       struct err *err);		/* value NULL: bare key */
/* From here on "$" and include are errors: whoever wrote the text meant every letter. */
void job_builder_literal(struct job_builder *b);
/* Nothing will run: an ioengine that fio has and that is not here is a warning. */
void job_builder_only_read(struct job_builder *b);
/* Resolve only the jobs of this name (and of others chosen before). */
void job_builder_choose(struct job_builder *b, const char *name);
/* Of options that are wrong *err tells all, a line each. */
int job_builder_finish(struct job_builder *b, struct job_list *list, struct err *err);
void job_list_release(struct job_list *list);

#endif
