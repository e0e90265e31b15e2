/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/open_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pattern/pattern_files.h"

int open_files_init(struct loop *l)
{
	struct open_files *o = &l->slow.open;

	o->limit = l->job->files.open;
	if (!o->limit || o->limit > l->engine.files_count)
		o->limit = l->engine.files_count;
	o->files = calloc(o->limit + 1u, sizeof(*o->files));
	return o->files ? 0 : -ENOMEM;
}

void open_files_release(struct loop *l)
{
	free(l->slow.open.files);
	l->slow.open.files = NULL;
}

/* Of all slots those that are not free. */
static bool flies(const struct loop *l, uint32_t file)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < l->engine.depth; i++)
		count += l->engine.ios[i].file == file;
	for (uint32_t i = 0; i < l->free_count; i++)
		count -= l->free[i]->file == file;
	return count;
}

static void failed(struct loop *l, uint32_t file, int error, const char *what)
{
	loop_fail(l, error);
	worker_error(l->shared, error, "%s: %s of '%s' failed: %s", l->job->name, what,
		     l->engine.files[file].path, strerror(error));
}

/* What was written is safe before it is closed, where it would be at the end. */
static void close_file(struct loop *l, uint32_t file)
{
	const struct job *job = l->job;
	struct engine *e = &l->engine;

	if ((job->files.fsync_on_close || job->end_fsync) && job_does(job, DIR_WRITE) &&
	    e->files[file].fd >= 0 && fsync(e->files[file].fd))
		failed(l, file, errno, "fsync");
	target_close_file(l->target, &e->files[file]);
	if (e->ops->file_changed)
		e->ops->file_changed(e, file);
}

/* One that is done, or at least idle: its place among those that are open; count: none. */
static uint32_t choose_idle(const struct loop *l)
{
	const struct open_files *o = &l->slow.open;
	uint32_t idle = o->count;

	for (uint32_t i = 0; i < o->count; i++) {
		if (flies(l, o->files[i]))
			continue;
		idle = i;
		if (!pattern_files_has(&l->pattern.files, o->files[i]))
			break;
	}
	return idle;
}

static bool make_room(struct loop *l)
{
	struct open_files *o = &l->slow.open;
	const uint32_t idle = choose_idle(l);

	if (idle == o->count)
		return false;
	close_file(l, o->files[idle]);
	o->files[idle] = o->files[--o->count];
	return true;
}

bool open_files_ready(struct loop *l, uint32_t file)
{
	struct open_files *o = &l->slow.open;
	struct engine *e = &l->engine;
	struct err *usual = e->err, err = { 0 };
	int ret;

	if (e->files[file].fd >= 0)
		return true;
	if (o->count == o->limit && !make_room(l))
		return false;
	e->err = &err;
	ret = target_open_file(l->target, file, &e->files[file], &err);
	if (!ret && e->ops->file_changed)
		ret = e->ops->file_changed(e, file);
	e->err = usual;
	if (ret) {
		loop_fail(l, -ret);
		worker_error(l->shared, -ret, "%s", err.text);
		return false;
	}
	o->files[o->count++] = file;
	return true;
}

void open_files_renew(struct loop *l)
{
	struct open_files *o = &l->slow.open;

	while (o->count)
		close_file(l, o->files[--o->count]);
	target_unlink_loop(l->target, l->engine.files);
}
