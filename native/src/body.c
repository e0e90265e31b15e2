/* SPDX-License-Identifier: Apache-2.0 */
#include "body.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "account.h"
#include "logs.h"

enum { PAGE_BYTES = 4096, STATE_ALIGNMENT = 64 };

static uint64_t buffer_bytes(const struct job *job)
{
	uint64_t bytes = 1;

	for (int dir = DIR_READ; dir <= DIR_WRITE; dir++) {
		if (job->rw & (RW_READ << dir) && job->bs_bytes[dir] > bytes)
			bytes = job->bs_bytes[dir];
	}
	return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

/* Written data is noise, so that no device finds it easy; read buffers only need to
 * be there before the clock starts, where anything is read into them. */
static int make_buffers(struct body *b)
{
	struct engine *e = &b->loop.engine;
	struct random noise = { b->loop.worker->seed };
	const int populate = e->ops->flags & ENGINE_DISKLESS ? 0 : MAP_POPULATE;
	uint64_t *words;

	e->buffer_bytes = buffer_bytes(e->job);
	b->buffers_bytes = e->depth * e->buffer_bytes;
	e->buffers = mmap(NULL, b->buffers_bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | populate, -1, 0);
	if (e->buffers == MAP_FAILED) {
		e->buffers = NULL;
		return err_set(&b->err, -ENOMEM, "%s: no memory for %u buffers of %llu bytes: "
			       "make iodepth or bs smaller", e->job->name, e->depth,
			       (unsigned long long)e->buffer_bytes);
	}
	words = e->buffers;
	if (e->job->zero_buffers)
		return 0;
	for (size_t i = 0; e->job->rw & RW_WRITE && i < b->buffers_bytes / sizeof(*words); i++)
		words[i] = random_next(&noise);
	return 0;
}

static void *aligned_zeroed(size_t bytes)
{
	void *memory = NULL;

	bytes = (bytes + STATE_ALIGNMENT - 1) / STATE_ALIGNMENT * STATE_ALIGNMENT;
	if (!bytes || posix_memalign(&memory, STATE_ALIGNMENT, bytes))
		return NULL;
	return memset(memory, 0, bytes);
}

static int make_slots(struct body *b)
{
	struct loop *l = &b->loop;
	struct engine *e = &l->engine;

	e->ios = aligned_zeroed(e->depth * sizeof(struct io));
	e->state = aligned_zeroed(e->ops->state_size ? e->ops->state_size : 1);
	e->files = aligned_zeroed((e->files_count + 1) * sizeof(*e->files));
	l->free = calloc(e->depth, sizeof(struct io *));
	l->batch = calloc(e->depth, sizeof(struct io *));
	l->done = calloc(e->depth, sizeof(struct io *));
	if (!e->ios || !e->state || !e->files || !l->free || !l->batch || !l->done)
		return err_set(&b->err, -ENOMEM, "%s: no memory for %u I/Os in flight",
			       e->job->name, e->depth);
	for (uint32_t i = 0; i < e->depth; i++) {
		struct io *io = &e->ios[e->depth - 1 - i];	/* slot 0 is taken first */

		io->slot = e->depth - 1 - i;
		io->home = (char *)e->buffers + io->slot * e->buffer_bytes;
		l->free[l->free_count++] = io;
	}
	return 0;
}

static int make_pattern(struct body *b)
{
	const struct target *t = b->loop.worker->target;
	struct pattern_extent *extents = calloc(t->files_count + 1, sizeof(*extents));
	int ret;

	if (!extents)
		return err_set(&b->err, -ENOMEM, "%s: no memory", t->job->name);
	for (uint32_t i = 0; i < t->files_count; i++)
		extents[i] = t->files[i].extent;
	ret = pattern_init(&b->loop.pattern, t->job, extents, t->files_count,
			   b->loop.worker->seed, &b->err);
	free(extents);
	return ret;
}

int worker_restart_pattern(struct loop *l, struct err *err)
{
	struct body *b = (struct body *)l;
	int ret;

	pattern_release(&l->pattern);
	ret = make_pattern(b);
	if (ret)
		*err = b->err;
	return ret;
}

static int open_engine(struct body *b)
{
	struct engine *e = &b->loop.engine;
	struct err why = { 0 };
	int ret = target_open(b->loop.worker->target, e->files, &b->err);

	if (ret)
		return ret;
	e->err = &why;
	ret = e->ops->open ? e->ops->open(e) : 0;
	e->err = &b->err;
	b->engine_open = !ret;
	if (ret)
		err_set(&b->err, ret, "%s: ioengine %s: %s", e->job->name, e->ops->name, why.text);
	return ret;
}

/* Handing over is free for an engine that touches nothing; else one I/O at a time, so
 * that the device begins with the first while the next is prepared. */
static uint32_t batch_submit(const struct engine *e)
{
	const uint32_t asked = e->job->batch_submit;

	if (!asked)
		return e->ops->flags & ENGINE_DISKLESS ? e->depth : 1;
	return asked < e->depth ? asked : e->depth;
}

static uint32_t reap_max(const struct engine *e, bool clock_per_io)
{
	const struct job *job = e->job;
	uint32_t most = job->batch_complete_max ? job->batch_complete_max : e->depth;

	most = most < job->batch_complete_min ? job->batch_complete_min : most;
	return clock_per_io ? 1 : most < e->depth ? most : e->depth;
}

void body_init(struct body *b, const struct worker *w)
{
	const struct job *job = w->job;
	const uint32_t depth = job->iodepth ? job->iodepth : 1;
	struct loop *l = &b->loop;

	l->worker = w;
	l->job = job;
	l->stats = &w->shared->stats;
	l->synchronous = job->ops->depth_max == 1;
	l->stop = &w->control->stop;
	l->event_ticks = UINT64_MAX;
	l->engine = (struct engine){
		.ops = job->ops, .job = job, .err = &b->err,
		.files_count = w->target->files_count,
		.depth = depth < job->ops->depth_max ? depth : job->ops->depth_max,
	};
	l->engine.reap_max = reap_max(&l->engine, w->clock_per_io);
	l->batch_submit = batch_submit(&l->engine);
	l->reap_min = job->batch_complete_min < l->engine.reap_max ? job->batch_complete_min
								   : l->engine.reap_max;
}

/* What only some jobs want to know of each I/O. */
static void init_extras(struct body *b)
{
	const struct job *job = b->loop.job;
	struct loop *l = &b->loop;

	for (int i = 0; i < DIR_DATA_COUNT; i++)
		l->stats->dirs[i].all_histograms = job->lat_percentiles || job->slat_percentiles;
	if (l->worker->logs && logs_each_io(job)) {
		l->log = &b->log;
		log_buffer_init(l->log);
	}
	if (job->write_iolog) {
		l->iolog = &b->iolog;
		log_buffer_init(l->iolog);
	}
	l->extras = account_wants_extras(job);
}

int body_setup(struct body *b)
{
	int ret = make_buffers(b);

	init_extras(b);
	if (!ret)
		ret = make_slots(b);
	if (!ret)
		ret = make_pattern(b);
	if (!ret)
		ret = open_engine(b);
	if (ret)
		worker_error(b->loop.worker->shared, -ret, "%s", b->err.text);
	b->loop.worker->shared->refused = ret && b->err.refused;
	return ret;
}

void body_release(struct body *b)
{
	struct engine *e = &b->loop.engine;

	if (b->engine_open && e->ops->close)
		e->ops->close(e);
	if (e->files)
		target_close(b->loop.worker->target, e->files);
	pattern_release(&b->loop.pattern);
	if (e->buffers)
		munmap(e->buffers, b->buffers_bytes);
	free(e->ios);
	free(e->state);
	free(e->files);
	free(b->loop.free);
	free(b->loop.batch);
	free(b->loop.done);
}
