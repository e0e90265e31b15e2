/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "logs/iolog.h"
#include "logs/logs.h"
#include "stats/clock.h"
#include "util/random.h"
#include "worker/account.h"
#include "worker/flow.h"
#include "worker/loop.h"
#include "worker/placement.h"
#include "worker/programs.h"
#include "worker/worker_setup.h"

static void enter_state(const struct worker *w, enum worker_state state)
{
	atomic_store_explicit(&w->shared->state, state, memory_order_release);
	atomic_fetch_add(&w->control->events, 1);
	futex_wake_all(&w->control->events);
}

static void usage_now(const struct job *job, struct rusage *usage)
{
	getrusage(job->process.thread ? RUSAGE_THREAD : RUSAGE_SELF, usage);
}

/* What is counted from now on has its time and its CPU. */
static void count_from(struct worker_setup *setup, uint64_t now)
{
	setup->begin_ticks = now;
	setup->begin_epoch_ms = clock_epoch_ms(setup->loop.job->log.epoch_clock);
	usage_now(setup->loop.job, &setup->usage_begin);
	setup->worker->shared->begin_ns = clock_monotonic_ns();
}

/* The measured part begins: whatever the ramp counted is forgotten. */
static void begin(struct worker_setup *setup, uint64_t now)
{
	struct loop *l = &setup->loop;
	const struct job *job = l->job;

	worker_stats_init(l->stats);
	if (l->log)
		log_buffer_clear(l->log);
	l->event_ticks = job->time.runtime_ns ? now + clock_ns_to_ticks(job->time.runtime_ns)
					      : UINT64_MAX;
	count_from(setup, now);
	setup->worker->shared->in_ramp = false;
	enter_state(setup->worker, WORKER_RUNNING);
}

/* As in fio, a job that ends before its ramp does counts from here. */
static void begin_ramp(struct worker_setup *setup, uint64_t now)
{
	struct loop *l = &setup->loop;

	l->event_ticks = UINT64_MAX;
	if (l->job->time.ramp_ns)
		l->event_ticks = now + clock_ns_to_ticks(l->job->time.ramp_ns);
	setup->worker->shared->in_ramp = true;
	count_from(setup, now);
}

/* The ramp is over, or the run is. */
static bool at_event(void *context, uint64_t now)
{
	struct worker_setup *setup = context;

	if (!setup->worker->shared->in_ramp)
		return true;
	begin(setup, now);
	return false;
}

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

/* Reading for verify comes between writing: each has its own time. */
static void split_runtime(struct worker_setup *setup)
{
	struct worker_stats *s = setup->loop.stats;
	const uint64_t read_ns = clock_ticks_to_ns(setup->loop.slow.checking.ticks);
	const uint64_t wrote_ns = s->runtime_ns - read_ns;

	s->dirs[DIR_WRITE].runtime_ns = wrote_ns;
	if (s->dirs[DIR_TRIM].ios)
		s->dirs[DIR_TRIM].runtime_ns = wrote_ns;
	if (!(setup->loop.job->rw & RW_READ) && s->dirs[DIR_READ].ios)
		s->dirs[DIR_READ].runtime_ns = read_ns;
}

/* Runtime includes end_fsync, as fio's does: data that is not safe is not written. */
static void finish(struct worker_setup *setup)
{
	struct worker_stats *s = setup->loop.stats;
	const struct rusage *was = &setup->usage_begin;
	struct rusage is;

	worker_stats_settle(s, setup->loop.synchronous, setup->loop.alone);
	usage_now(setup->loop.job, &is);
	s->runtime_ns = s->all_runtimes_ns = clock_ticks_to_ns(clock_ticks() - setup->begin_ticks);
	for (int i = 0; i < DIR_DATA_COUNT; i++)
		s->dirs[i].runtime_ns = s->dirs[i].bytes ? s->runtime_ns : 0;
	if (setup->loop.slow.checking.ticks)
		split_runtime(setup);
	s->user_ns = timeval_ns(is.ru_utime) - timeval_ns(was->ru_utime);
	s->system_ns = timeval_ns(is.ru_stime) - timeval_ns(was->ru_stime);
	s->context_switches = (uint64_t)(is.ru_nvcsw - was->ru_nvcsw)
			      + (uint64_t)(is.ru_nivcsw - was->ru_nivcsw);
	s->major_faults = (uint64_t)(is.ru_majflt - was->ru_majflt);
	s->minor_faults = (uint64_t)(is.ru_minflt - was->ru_minflt);
}

/* Returns when this worker's group may start, or when all is called off. */
static void wait_for_go(const struct worker *w)
{
	uint32_t go = atomic_load(&w->control->go);

	for (; go < w->group && !atomic_load(&w->control->stop); go = atomic_load(&w->control->go))
		futex_wait(&w->control->go, go, 1000000000u);
}

/* Those that are stopped while they wait are told so by their own word from here on. */
static void begin_listening(const struct worker *w)
{
	if (atomic_load(&w->control->stop))
		atomic_store(&w->shared->stop, 1);
}

static void sleep_for(const struct worker *w, uint64_t ns)
{
	const uint64_t end = clock_monotonic_ns() + ns;
	uint64_t now = clock_monotonic_ns();

	for (; now < end && !atomic_load(&w->shared->stop); now = clock_monotonic_ns())
		futex_wait(&w->shared->stop, 0, end - now);
}

/* Whether the job may go on: what it runs before its I/O makes ready what this needs. */
static bool run_before(const struct worker *w)
{
	struct err err = { 0 };
	int status;

	if (!w->job->process.run_before || atomic_load(&w->shared->stop))
		return true;
	status = program_run(w, PROGRAM_BEFORE, &err);
	if (status && atomic_load(&w->shared->stop))
		return false;
	if (status > 0)
		status = err_set(&err, -ECANCELED, "%s: exec_prerun ended with status %d; what it "
				 "said is in '%s.prerun.txt'", w->job->name, status, w->job->name);
	if (status)
		worker_error(w->shared, -status, "%s", err.text);
	return !status;
}

/* Also of a job that failed. How it ends is its own: the measurement is over. */
static void run_after(const struct worker *w)
{
	struct err err = { 0 };

	if (w->job->process.run_after && program_run(w, PROGRAM_AFTER, &err) < 0)
		worker_error(w->shared, -err.code, "%s", err.text);
}

static void end_fsync(struct worker_setup *setup)
{
	const struct engine *e = &setup->loop.engine;

	for (uint32_t i = 0; i < e->files_count; i++) {
		const struct io sync = { .dir = DIR_SYNC, .file = (uint16_t)i,
					 .start_ticks = clock_ticks() };

		if (setup->loop.iolog)
			account_record(&setup->loop, &sync);
		if (e->files[i].fd >= 0 && fsync(e->files[i].fd))
			worker_error(setup->worker->shared, errno, "%s: fsync of '%s' failed: "
				     "%s", e->job->name, e->files[i].path, strerror(errno));
	}
}

/* An engine that opens no file has the directories of what it names. */
static int sync_filesystem_of(const struct engine *e, const struct engine_file *f)
{
	int fd, ret;

	if (!(e->ops->flags & ENGINE_BY_NAME))
		return f->fd < 0 ? 0 : syncfs(f->fd);
	fd = openat(f->folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ret = fd < 0 ? -1 : syncfs(fd);
	if (fd >= 0)
		close(fd);
	return ret;
}

/* One filesystem once, where its files stand together. */
static void end_syncfs(struct worker_setup *setup)
{
	const struct engine *e = &setup->loop.engine;
	const struct target *t = setup->loop.target;

	for (uint32_t i = 0; i < e->files_count; i++) {
		if (i && t->files[i].device == t->files[i - 1].device)
			continue;
		if (sync_filesystem_of(e, &e->files[i]))
			worker_error(setup->worker->shared, errno, "%s: syncfs of '%s' failed: "
				     "%s", e->job->name, e->files[i].path, strerror(errno));
	}
}

/* What the runtime includes: data that is not safe is not written. */
static void end_writes(struct worker_setup *setup)
{
	const struct job *job = setup->loop.job;

	if (job->end_fsync && job->rw & RW_WRITE)
		end_fsync(setup);
	if (job->end_syncfs && job->rw & RW_WRITE)
		end_syncfs(setup);
}

static void measure(struct worker_setup *setup)
{
	struct loop *l = &setup->loop;
	const struct job *job = l->job;

	flow_enter(setup->worker);
	if (job->time.ramp_ns || job->time.ramp.bytes || job->time.ramp.percent)
		begin_ramp(setup, clock_ticks());
	else
		begin(setup, clock_ticks());
	l->at_event = at_event;
	l->event_context = setup;
	if (!job->files.create_only)
		loop_run(l);
	flow_leave(setup->worker);
	end_writes(setup);
	finish(setup);
	if (job->files.fsync_on_close && !job->end_fsync && job->rw & RW_WRITE)
		end_fsync(setup);
}

/* Jobs of one flow begin together: none runs ahead while another is not there yet. */
static void enter_flow_early(const struct worker *w)
{
	if (!w->job->time.startdelay.max_ns && !w->job->process.run_before)
		flow_enter(w);
}

enum { DELAY_SEED = 0xde1a };		/* else the first offset would say it, too */

static uint64_t startdelay_ns(const struct worker *w)
{
	const struct time_range *range = &w->job->time.startdelay;
	struct random draws = { random_mix(w->seed ^ DELAY_SEED) };

	return range->min_ns + random_below(&draws, range->max_ns - range->min_ns + 1);
}

static void work(struct worker_setup *setup)
{
	const struct worker *w = setup->worker;

	if (setup->loop.needs.general)
		prctl(PR_SET_TIMERSLACK, 1);	/* else a sleep takes 50 us more */
	begin_listening(w);
	enter_state(w, WORKER_RAMP);
	sleep_for(w, startdelay_ns(w));
	if (run_before(w))
		measure(setup);
}

/* Text takes its time: the worker has ended by now for those who watch it. */
static void write_logs(struct worker_setup *setup)
{
	const struct logs_begin begin = { setup->begin_ticks, setup->begin_epoch_ms };
	struct loop *l = &setup->loop;
	struct err err = { 0 };

	if (l->log && setup->begin_ticks &&
	    logs_write_each(setup->worker->logs, l->log, &begin, setup->worker->shared->logged,
			    &err))
		worker_error(setup->worker->shared, -err.code, "%s", err.text);
	if (l->iolog && setup->begin_ticks &&
	    iolog_write(l->job, setup->worker->target, l->iolog, l->slow.begin_ticks, &err))
		worker_error(setup->worker->shared, -err.code, "%s", err.text);
	log_buffer_release(&setup->log);
	log_buffer_release(&setup->iolog);
}

void worker_run(const struct worker *w)
{
	struct worker_setup *setup = calloc(1, sizeof(*setup));

	worker_stats_init(&w->shared->stats);
	if (!setup) {
		worker_error(w->shared, ENOMEM, "%s: no memory", w->job->name);
	} else {
		placement_take(w);	/* before its memory is touched, so that this is near */
		worker_setup_init(setup, w);
		if (!w->shared->error && !worker_setup_make(setup)) {
			enter_flow_early(w);
			enter_state(w, WORKER_READY);
			wait_for_go(w);
			work(setup);
		}
		worker_setup_release(setup);
		run_after(w);
	}
	enter_state(w, WORKER_DONE);
	if (setup)
		write_logs(setup);
	free(setup);
}
