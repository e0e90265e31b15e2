/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/worker_setup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stats/clock.h"
#include "util/random.h"

enum { PAGE_BYTES = 4096, STATE_ALIGNMENT = 64 };

static uint64_t buffer_bytes(const struct job *job)
{
	uint64_t bytes = 1;		/* a trim has no data */

	JOB_DIRS(dir, job) {
		if (dir != DIR_TRIM && job->block.bytes[dir] > bytes)
			bytes = job->block.bytes[dir];
	}
	return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

/* Written data is noise, so that no device finds it easy, and stamped with other words in each
 * run, so that none finds that it has them already; read buffers only need to be there before the
 * clock starts, where anything is read into them. */
static int make_buffers(struct worker_setup *setup)
{
	struct engine *e = &setup->loop.engine;
	struct random noise = { setup->loop.seed };
	const bool populate = !engine_is_diskless(e->ops);
	uint64_t *words;
	size_t bytes;
	int ret;

	e->buffer_bytes = buffer_bytes(e->job);
	bytes = e->depth * e->buffer_bytes;
	setup->loop.stamp = random_mix(clock_unix_ms() ^ setup->loop.seed);
	ret = buffers_make(&setup->buffers, e->job, bytes, populate, &setup->err);
	e->buffers = words = setup->buffers.first;
	if (ret || e->job->buffers.zero)
		return ret;
	for (size_t i = 0; e->job->rw & RW_WRITE && i < bytes / sizeof(*words); i++)
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

static int make_slots(struct worker_setup *setup)
{
	struct loop *l = &setup->loop;
	struct engine *e = &l->engine;

	e->ios = aligned_zeroed(e->depth * sizeof(struct io));
	e->state = aligned_zeroed(e->ops->state_size ? e->ops->state_size : 1);
	e->io_spaces = aligned_zeroed((size_t)e->depth * e->ops->io_space + 1);
	e->files = aligned_zeroed((e->files_count + 1) * sizeof(*e->files));
	l->free = calloc(e->depth, sizeof(struct io *));
	l->batch = calloc(e->depth, sizeof(struct io *));
	l->done = calloc(e->depth, sizeof(struct io *));
	if (!e->ios || !e->state || !e->io_spaces || !e->files || !l->free || !l->batch ||
	    !l->done)
		return err_set(&setup->err, -ENOMEM, "%s: no memory for %u I/Os in flight",
			       e->job->name, e->depth);
	for (uint32_t i = 0; i < e->depth; i++) {
		struct io *io = &e->ios[e->depth - 1 - i];	/* slot 0 is taken first */

		io->slot = e->depth - 1 - i;
		io->home = (char *)e->buffers + io->slot * e->buffer_bytes;
		l->free[l->free_count++] = io;
	}
	return 0;
}

static bool called_off(void *stop)
{
	return atomic_load((_Atomic uint32_t *)stop);
}

static int open_engine(struct worker_setup *setup)
{
	struct engine *e = &setup->loop.engine;
	struct err why = { 0 };
	const struct target_hooks hooks = { .stop = called_off, .context = setup->loop.stop };
	int ret = target_open(setup->loop.target, e->files, &setup->err);

	if (!ret)
		ret = target_pre_read(setup->loop.target, &hooks, &setup->err);
	if (ret)
		return ret;
	e->err = &why;
	ret = e->ops->open ? e->ops->open(e) : 0;
	e->err = &setup->err;
	setup->engine_open = !ret;
	if (ret)
		err_set(&setup->err, ret, "%s: ioengine %s: %s", e->job->name, e->ops->name,
			why.text);
	return ret;
}

/* Handing over is free for an engine that touches nothing; else one I/O at a time, so
 * that the device begins with the first while the next is prepared. */
static uint32_t batch_submit(const struct engine *e)
{
	const uint32_t asked = e->job->depth.batch_submit;

	if (!asked)
		return engine_is_diskless(e->ops) ? e->depth : 1;
	return asked < e->depth ? asked : e->depth;
}

static uint32_t reap_max(const struct engine *e, bool clock_per_io)
{
	const struct job *job = e->job;
	uint32_t most = job->depth.batch_complete_max ? job->depth.batch_complete_max : e->depth;

	most = most < job->depth.batch_complete_min ? job->depth.batch_complete_min : most;
	return clock_per_io ? 1 : most < e->depth ? most : e->depth;
}

void worker_setup_init(struct worker_setup *setup, const struct worker *w)
{
	const struct job *job = w->job;
	const uint32_t depth = job->depth.iodepth ? job->depth.iodepth : 1;
	struct loop *l = &setup->loop;

	setup->worker = w;
	l->job = job;
	l->target = w->target;
	l->worker = w;
	l->shared = w->shared;
	l->seed = w->seed;
	l->index = w->index;
	l->clock_per_io = w->clock_per_io;
	l->flow = w->flow ? w : NULL;
	l->needs = job_needs_of(job, w->clock_per_io);
	l->stats = &w->shared->stats;
	l->synchronous = engine_is_sync(job->ops);
	l->stop = &w->shared->stop;
	l->event_ticks = UINT64_MAX;
	l->planned_most = l->needs.opens_files ? 1 : LOOP_PLANNED;
	l->engine = (struct engine){
		.ops = job->ops, .job = job, .err = &setup->err,
		.files_count = w->target->files_count, .clone = w->target->clone,
		.stop = &w->shared->stop,
		.depth = depth < job->ops->depth_max ? depth : job->ops->depth_max,
	};
	l->engine.reap_max = reap_max(&l->engine, w->clock_per_io);
	l->batch_submit = batch_submit(&l->engine);
	l->reap_min = job->depth.batch_complete_min;
	if (l->reap_min > l->engine.reap_max)
		l->reap_min = l->engine.reap_max;
}

static void init_extras(struct worker_setup *setup, bool has_logs)
{
	struct loop *l = &setup->loop;

	for (int i = 0; i < DIR_DATA_COUNT; i++)
		l->stats->dirs[i].all_histograms = l->needs.all_histograms;
	if (has_logs && l->needs.log) {
		l->log = &setup->log;
		log_buffer_init(l->log);
	}
	if (l->needs.iolog) {
		l->iolog = &setup->iolog;
		log_buffer_init(l->iolog);
	}
}

int worker_setup_make(struct worker_setup *setup)
{
	int ret = make_buffers(setup);

	init_extras(setup, setup->worker->logs);
	if (!ret)
		ret = make_slots(setup);
	if (!ret)
		ret = loop_begin_pattern(&setup->loop, &setup->err);
	if (!ret)
		ret = open_engine(setup);
	if (ret)
		worker_error(setup->loop.shared, -ret, "%s", setup->err.text);
	setup->loop.shared->refused = ret && setup->err.refused;
	return ret;
}

void worker_setup_release(struct worker_setup *setup)
{
	struct engine *e = &setup->loop.engine;

	e->failed = setup->loop.shared->error;
	if (setup->engine_open && e->ops->close)
		e->ops->close(e);
	if (e->files)
		target_close(setup->loop.target, e->files);
	pattern_release(&setup->loop.pattern);
	buffers_release(&setup->buffers);
	free(e->ios);
	free(e->state);
	free(e->io_spaces);
	free(e->files);
	free(setup->loop.free);
	free(setup->loop.batch);
	free(setup->loop.done);
}
