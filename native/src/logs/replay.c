/* SPDX-License-Identifier: Apache-2.0 */
#include "logs/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pattern/pattern.h"
#include "pattern/trace.h"
#include "util/namelist.h"
#include "verify/header.h"

struct replay {
	struct job job;
	struct trace trace;
	char *filename;
};

/* All names in one list, as filename= would give them. */
static char *join_names(const struct trace *t)
{
	size_t length = 1;
	char *list, *out;

	for (uint32_t i = 0; i < t->files_count; i++)
		length += 2 * strlen(t->files[i].path) + 1;
	list = out = malloc(length);
	for (uint32_t i = 0; list && i < t->files_count; i++) {
		if (i)
			*out++ = ':';
		for (const char *c = t->files[i].path; *c; c++) {
			if (*c == ':')
				*out++ = '\\';
			*out++ = *c;
		}
	}
	if (list)
		*out = '\0';
	return list;
}

static void become(struct replay *r, const struct job *job)
{
	const struct trace *t = &r->trace;

	r->job = *job;
	r->job.replay.trace = t;
	r->job.rw = t->rw;
	r->job.files.names = r->filename;
	r->job.files.directory = NULL;
	r->job.amount.offset = r->job.amount.size = (struct size_value){ 0 };
	r->job.amount.io_size = (struct size_value){ 0 };
	r->job.files.size = (struct size_range){ 0 };
	r->job.fsync = r->job.fdatasync = 0;
	r->job.zones.mode = ZONE_NONE;
	r->job.distribution = (struct distribution){ 0 };
	memset(r->job.block.splits, 0, sizeof(r->job.block.splits));
	memset(r->job.block.ranges, 0, sizeof(r->job.block.ranges));
	memset(r->job.rate.bytes, 0, sizeof(r->job.rate.bytes));
	memset(r->job.rate.iops, 0, sizeof(r->job.rate.iops));
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++) {
		if (t->length_max[dir])
			r->job.block.bytes[dir] = t->length_max[dir];
	}
}

/* Each block has its header: it has to have room for it. */
static int check_verify(const struct replay *r, const char *path, struct err *err)
{
	const struct trace *t = &r->trace;
	const uint32_t least = header_unit_min(r->job.verify.method);

	for (size_t i = 0; r->job.verify.method && i < t->count; i++) {
		if (t->ios[i].dir < DIR_TRIM && t->ios[i].length < least)
			return err_set(err, -EINVAL, "%s: this verify needs blocks of at least %u "
				       "bytes, and the log '%s' has smaller ones: drop verify",
				       r->job.name, least, path);
	}
	return 0;
}

static int load(struct replay *r, const struct job *job, uint32_t clone, struct err *err)
{
	const uint32_t count = namelist_count(job->replay.files);
	char *path = namelist_entry(job->replay.files, clone % count);
	int ret;

	if (!path)
		return err_set(err, -ENOMEM, "%s: no memory", job->name);
	ret = trace_load(&r->trace, job, path, err);
	if (!ret)
		r->filename = join_names(&r->trace);
	if (!ret && !r->filename)
		ret = err_set(err, -ENOMEM, "%s: no memory", job->name);
	if (!ret) {
		become(r, job);
		ret = check_verify(r, path, err);
	}
	free(path);
	return ret;
}

int replay_new(struct replay **made, const struct job *job, uint32_t clone, struct err *err)
{
	struct replay *r = calloc(1, sizeof(*r));
	int ret;

	*made = NULL;
	if (!r)
		return err_set(err, -ENOMEM, "%s: no memory", job->name);
	ret = load(r, job, clone, err);
	if (ret)
		replay_free(r);
	else
		*made = r;
	return ret;
}

const struct job *replay_job(const struct replay *r)
{
	return &r->job;
}

void replay_free(struct replay *r)
{
	if (!r)
		return;
	trace_release(&r->trace);
	free(r->filename);
	free(r);
}
