/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/debug.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "engines/engine.h"

const struct debug_type debug_types[] = {
	{ "process", 0 }, { "file", 0 }, { "io", 0 }, { "mem", 0 }, { "blktrace", 0 },
	{ "verify", 0 }, { "random", 0 }, { "parse", DEBUG_PARSE }, { "diskutil", 0 },
	{ "job", DEBUG_JOB }, { "mutex", 0 }, { "profile", 0 }, { "time", 0 },
	{ "net", 0 }, { "rate", 0 }, { "compress", 0 }, { "steadystate", 0 },
	{ "helperthread", 0 }, { "zbd", 0 }, { NULL, 0 },
};

/* "job:3" is "job": all jobs are told. */
static bool names(const struct debug_type *t, const char *at, size_t length)
{
	const size_t own = strlen(t->name);

	return !strncmp(t->name, at, own) &&
	       (own == length || (own < length && t->bit == DEBUG_JOB && at[own] == ':'));
}

static const struct debug_type *find(const char *at, size_t length)
{
	const struct debug_type *t = debug_types;

	while (t->name && !names(t, at, length))
		t++;
	return t->name ? t : NULL;
}

unsigned debug_bits(const char *list, const char **unknown)
{
	unsigned bits = 0;

	*unknown = NULL;
	if (!strcmp(list, "all"))
		return DEBUG_PARSE | DEBUG_JOB;
	for (const char *at = list; at;) {
		const size_t length = strcspn(at, ",");
		const struct debug_type *t = find(at, length);

		if (t)
			bits |= t->bit;
		else if (!*unknown)
			*unknown = at;
		at = at[length] ? at + length + 1 : NULL;
	}
	return bits;
}

void debug_list(FILE *out)
{
	fputs("what --debug may name, in a list with commas, or all:", out);
	for (const struct debug_type *t = debug_types; t->name; t++)
		fprintf(out, "%s %s%s", t == debug_types ? "" : ",", t->name,
			t->bit ? "" : " (tells nothing)");
	fputc('\n', out);
}

static void print_settings(FILE *out, const char *whose, const struct setting *settings,
			   size_t count)
{
	for (size_t i = 0; i < count; i++)
		fprintf(out, "parse    %s: %s=%s\n", whose, settings[i].key, settings[i].value);
}

static void print_job(FILE *out, const struct job *job)
{
	fprintf(out, "job      %s: group %" PRIu32 ", %" PRIu32 " clones as %s, ioengine %s\n",
		job->name, job->group_id, job->process.numjobs,
		job->process.thread ? "threads" : "processes", job->ops->name);
}

void debug_jobs(FILE *out, unsigned bits, const struct job_list *jobs)
{
	if (bits & DEBUG_PARSE)
		print_settings(out, "global", jobs->globals, jobs->globals_count);
	for (size_t i = 0; i < jobs->count; i++) {
		const struct job *job = &jobs->jobs[i];

		if (bits & DEBUG_PARSE)
			print_settings(out, job->name, job->settings, job->settings_count);
		if (bits & DEBUG_JOB)
			print_job(out, job);
	}
}
