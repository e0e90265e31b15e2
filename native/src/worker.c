/* SPDX-License-Identifier: Apache-2.0 */
#include "worker.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "account.h"
#include "clock.h"
#include "iolog.h"
#include "logs.h"
#include "loop.h"

enum { PAGE_BYTES = 4096, STATE_ALIGNMENT = 64 };

/* The loop with what only setup and the end need. */
struct body {
	struct loop loop;
	struct err err;
	struct rusage usage_begin;
	uint64_t begin_ticks, begin_unix_ms;
	struct log_buffer log, iolog;
	size_t buffers_bytes;
	bool engine_open;
};

void futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns)
{
	const struct timespec timeout = {
		.tv_sec = (time_t)(timeout_ns / 1000000000u),
		.tv_nsec = (long)(timeout_ns % 1000000000u),
	};

	syscall(SYS_futex, word, FUTEX_WAIT, value, &timeout, NULL, 0);
}

void futex_wake_all(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

void worker_error(struct worker_shared *shared, int error, const char *format, ...)
{
	va_list arguments;

	if (shared->error)
		return;
	shared->error = error;
	va_start(arguments, format);
	vsnprintf(shared->error_text, sizeof(shared->error_text), format, arguments);
	va_end(arguments);
}

static void enter_state(const struct worker *w, enum worker_state state)
{
	atomic_store_explicit(&w->shared->state, state, memory_order_release);
	atomic_fetch_add(&w->control->events, 1);
	futex_wake_all(&w->control->events);
}

static void usage_now(const struct job *job, struct rusage *usage)
{
	getrusage(job->thread ? RUSAGE_THREAD : RUSAGE_SELF, usage);
}

/* The measured part begins: whatever the ramp counted is forgotten. */
static void begin(struct body *b, uint64_t now)
{
	struct loop *l = &b->loop;
	const struct job *job = l->job;

	worker_stats_init(l->stats);
	b->begin_ticks = now;
	b->begin_unix_ms = clock_unix_ms();
	if (l->log)
		log_buffer_clear(l->log);
	l->event_ticks = job->runtime_ns ? now + clock_ns_to_ticks(job->runtime_ns) : UINT64_MAX;
	usage_now(job, &b->usage_begin);
	l->worker->shared->begin_ns = clock_monotonic_ns();
	enter_state(l->worker, WORKER_RUNNING);
}

bool worker_event(struct loop *l, uint64_t now)
{
	struct body *b = (struct body *)l;	/* the loop is its first member */

	if (b->begin_ticks)
		return true;
	begin(b, now);
	return false;
}

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

/* Reading for verify comes after writing: each has its own time. */
static void split_runtime(struct body *b)
{
	struct worker_stats *s = b->loop.stats;
	const uint64_t wrote_ns = clock_ticks_to_ns(b->loop.slow.verify_ticks - b->begin_ticks);

	s->dirs[DIR_WRITE].runtime_ns = wrote_ns;
	if (!(b->loop.job->rw & RW_READ) && s->dirs[DIR_READ].ios)
		s->dirs[DIR_READ].runtime_ns = s->runtime_ns - wrote_ns;
}

/* What was measured all the same, and was not asked for. */
static void leave_out(struct worker_stats *s, const struct job *job)
{
	for (int i = 0; i < DIR_DATA_COUNT; i++) {
		if (job->disable_slat || job->gtod_reduce)
			moments_init(&s->dirs[i].slat);
		if (job->disable_lat || job->gtod_reduce)
			moments_init(&s->dirs[i].lat);
		if (job->disable_clat || job->gtod_reduce)
			dir_stats_forget_clat(&s->dirs[i]);
	}
}

/* Runtime includes end_fsync, as fio's does: data that is not safe is not written. */
static void finish(struct body *b)
{
	struct worker_stats *s = b->loop.stats;
	const struct rusage *was = &b->usage_begin;
	struct rusage is;

	worker_stats_settle(s, b->loop.synchronous, b->loop.one);
	if (!b->begin_ticks)
		return;
	usage_now(b->loop.job, &is);
	s->runtime_ns = clock_ticks_to_ns(clock_ticks() - b->begin_ticks);
	for (int i = 0; i < DIR_DATA_COUNT; i++)
		s->dirs[i].runtime_ns = s->dirs[i].bytes ? s->runtime_ns : 0;
	if (b->loop.slow.verify_ticks)
		split_runtime(b);
	leave_out(s, b->loop.job);
	s->user_ns = timeval_ns(is.ru_utime) - timeval_ns(was->ru_utime);
	s->system_ns = timeval_ns(is.ru_stime) - timeval_ns(was->ru_stime);
	s->context_switches = (uint64_t)(is.ru_nvcsw - was->ru_nvcsw)
			      + (uint64_t)(is.ru_nivcsw - was->ru_nivcsw);
	s->major_faults = (uint64_t)(is.ru_majflt - was->ru_majflt);
	s->minor_faults = (uint64_t)(is.ru_minflt - was->ru_minflt);
}

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
	e->files = calloc(e->files_count + 1, sizeof(*e->files));
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

static void body_init(struct body *b, const struct worker *w)
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
	l->reap_min = job->batch_complete_min < l->engine.depth ? job->batch_complete_min
								: l->engine.depth;
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

static int setup(struct body *b)
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
	return ret;
}

static void release(struct body *b)
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

/* Returns when this worker's group may start, or when all is called off. */
static void wait_for_go(const struct worker *w)
{
	uint32_t go = atomic_load(&w->control->go);

	for (; go < w->group && !atomic_load(&w->control->stop); go = atomic_load(&w->control->go))
		futex_wait(&w->control->go, go, 1000000000u);
}

static void sleep_for(const struct worker *w, uint64_t ns)
{
	const uint64_t end = clock_monotonic_ns() + ns;
	uint64_t now = clock_monotonic_ns();

	for (; now < end && !atomic_load(&w->control->stop); now = clock_monotonic_ns())
		futex_wait(&w->control->stop, 0, end - now);
}

static void end_fsync(struct body *b)
{
	const struct engine *e = &b->loop.engine;

	for (uint32_t i = 0; i < e->files_count; i++) {
		if (e->files[i].fd >= 0 && fsync(e->files[i].fd))
			worker_error(b->loop.worker->shared, errno, "%s: fsync of '%s' failed: %s",
				     e->job->name, e->files[i].path, strerror(errno));
	}
}

static void work(struct body *b)
{
	struct loop *l = &b->loop;
	const struct job *job = l->job;

	if (loop_is_general(l))
		prctl(PR_SET_TIMERSLACK, 1);	/* else a sleep takes 50 us more */
	enter_state(l->worker, WORKER_RAMP);
	sleep_for(l->worker, job->startdelay_ns);
	if (job->ramp_time_ns)
		l->event_ticks = clock_ticks() + clock_ns_to_ticks(job->ramp_time_ns);
	else
		begin(b, clock_ticks());
	loop_run(l);
	if (job->end_fsync && job->rw & RW_WRITE)
		end_fsync(b);
	finish(b);
}

/* Text takes its time: the worker has ended by now for those who watch it. */
static void write_logs(struct body *b)
{
	struct loop *l = &b->loop;
	struct err err = { 0 };

	if (l->log && b->begin_ticks &&
	    logs_write_each(l->worker->logs, l->log, b->begin_ticks, b->begin_unix_ms, &err))
		worker_error(l->worker->shared, -err.code, "%s", err.text);
	if (l->iolog && !l->worker->shared->error &&
	    iolog_write(l->job, l->worker->target, l->iolog, l->slow.begin_ticks, &err))
		worker_error(l->worker->shared, -err.code, "%s", err.text);
	log_buffer_release(&b->log);
	log_buffer_release(&b->iolog);
}

void worker_run(const struct worker *w)
{
	struct body *b = calloc(1, sizeof(*b));

	worker_stats_init(&w->shared->stats);
	if (!b) {
		worker_error(w->shared, ENOMEM, "%s: no memory", w->job->name);
	} else {
		body_init(b, w);
		if (!setup(b)) {
			enter_state(w, WORKER_READY);
			wait_for_go(w);
			work(b);
		}
		release(b);
	}
	enter_state(w, WORKER_DONE);
	if (b)
		write_logs(b);
	free(b);
}
