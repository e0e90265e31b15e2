/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/engine.h"
#include "fuzz.h"
#include "jobfile/jobfile.h"

size_t fuzz_taken;

static char *include(void *context, const char *path, const char *from, size_t *length,
		     struct err *err)
{
	(void)context;
	(void)from;
	if (*path == '!') {
		err_set(err, -1, "no such file");
		return NULL;
	}
	*length = strlen(path);
	return strdup(path);
}

static const char *environment(void *context, const char *name)
{
	(void)context;
	return *name == '!' ? NULL : name;
}

/* What run.c may take for granted about a job. */
static void check_job(const struct job *job)
{
	if (!job->ops || !job->name || !job->process.numjobs || !job->depth.iodepth
	    || !job->files.count || job_next_dir(job, 0) == DIR_DATA_COUNT)
		abort();
	for (unsigned dir = 0; dir < DIR_DATA_COUNT; dir++)
		if (!job->block.bytes[dir])
			abort();
	if (job->zones.mode == ZONE_NONE ? job->zones.size_bytes > 0
	    : job->zones.mode == ZONE_STRIDED && !job->zones.size_bytes)
		abort();
}

/* Each line tells where; the last one may be cut. */
static void check_places(const char *text)
{
	static const char *const placeless[] = { "...", "there is no job", "fuzz: ", "--section" };

	while (*text) {
		const size_t length = strcspn(text, "\n");
		unsigned line, column;
		const char *name = memchr(text, ':', length);
		bool told = false;

		for (size_t i = 0; i < sizeof(placeless) / sizeof(*placeless); i++)
			told = told || !strncmp(text, placeless[i], strlen(placeless[i]));
		/* the name of an included file may have ':' in it */
		while (!told && name) {
			told = sscanf(name, ":%u:%u: ", &line, &column) == 2 && line && column;
			name = memchr(name + 1, ':', length - (size_t)(name + 1 - text));
		}
		if (!told)
			abort();
		text += length + (text[length] != '\0');
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct job_source source = { include, environment, NULL };
	struct job_builder *b = job_builder_new(&source);
	struct err err = { 0 };
	struct job_list list;
	int code = job_builder_file(b, "fuzz", (const char *)data, size, &err);

	code = code ? code : job_builder_finish(b, &list, &err);
	if ((code != 0) != (err.text[0] != '\0'))
		abort();
	for (size_t i = 0; !code && i < list.count; i++)
		check_job(&list.jobs[i]);
	if (!code)
		job_list_release(&list);
	else
		check_places(err.text);
	fuzz_taken += !code;
	job_builder_free(b);
	return 0;
}
