/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engines/engine.h"
#include "jobfile/jobfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
	    || !job->time.loops || !job->files.count || !(job->rw & (RW_READ | RW_WRITE)))
		abort();
	for (unsigned dir = 0; dir < DIR_DATA_COUNT; dir++)
		if (!job->block.bytes[dir])
			abort();
	if ((job->zones.mode == ZONE_STRIDED) != (job->zones.size_bytes > 0))
		abort();
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
	job_builder_free(b);
	return 0;
}
