/* SPDX-License-Identifier: Apache-2.0 */
#include "loop.h"

#include <string.h>

#include "steps.h"

/*
 * The plain loops. Asynchronous: fill what is free, hand it over, wait for one,
 * count what came; the clock is read twice a round, so a round of 32 pays as much as
 * one of 1. Synchronous: the same with one slot, and the clock on both sides of the
 * call. Neither asks what kind of engine or pattern it drives.
 */

/* As fio does, each pass over files begins with their caches dropped; uniform and
 * zoned jobs have no passes, and the first was dropped for when the files opened. */
static void pass_begun(struct loop *l)
{
	const struct pattern *p = &l->pattern;

	if (l->passes && !p->zoned && (!p->random || p->mapped))
		target_invalidate(l->worker->target, l->engine.files);
	l->passes = p->passes;
}

bool loop_plan(struct loop *l)
{
	l->planned_next = 0;
	l->planned_count = pattern_fill(&l->pattern, l->planned, LOOP_PLANNED);
	if (l->pattern.passes != l->passes)
		pass_begun(l);
	return l->planned_count;
}

bool loop_event(struct loop *l, uint64_t now)
{
	return l->error || worker_event(l, now);
}

void loop_fail(struct loop *l, int error)
{
	if (!l->error)
		l->error = error;
	l->event_ticks = 0;
}

void loop_engine_failed(struct loop *l, int code)
{
	loop_fail(l, -code);
	worker_error(l->worker->shared, -code, "%s: ioengine %s failed: %s", l->job->name,
		     l->engine.ops->name, strerror(-code));
}

/* A failed engine may never give back what it holds. */
void loop_drain(struct loop *l)
{
	uint64_t now;
	uint32_t count = 1;

	while (l->in_flight && (count || !l->error)) {
		count = step_complete(l, 1, &now, l->synchronous, true);
		if (!count)
			l->engine.ops->commit(&l->engine);
	}
}

STEP uint32_t fill(struct loop *l, uint64_t now)
{
	uint32_t n = 0;

	while (l->free_count) {
		if (l->planned_next == l->planned_count && !loop_plan(l))
			break;
		step_take(l, &l->planned[l->planned_next++], n++, now);
	}
	return n;
}

static void run_asynchronous(struct loop *l)
{
	uint64_t now = clock_ticks();

	while (!step_over(l, now)) {
		const uint32_t n = fill(l, now);

		if (!n && !l->in_flight)
			break;
		step_commit(l, n, false);
		step_complete(l, 1, &now, false, false);
	}
	loop_drain(l);
}

static void run_synchronous(struct loop *l)
{
	const struct engine_ops *ops = l->engine.ops;
	struct io *io = l->engine.ios;
	uint64_t now = clock_ticks();

	while (!step_over(l, now)) {
		if (l->planned_next == l->planned_count && !loop_plan(l))
			break;
		step_prepare(l, io, &l->planned[l->planned_next++]);
		ops->queue(&l->engine, io);
		io->issue_ticks = clock_ticks();
		ops->commit(&l->engine);
		ops->reap(&l->engine, 1, l->done);
		now = clock_ticks();
		if (__builtin_expect(step_whole(io, false), 1))
			step_count_run(l, io, 1, io->length, now, true);
		else
			account_odd(l, io, now);
	}
}

static bool needs_general(const struct job *job)
{
	return account_wants_extras(job) || job->thinktime_ns || (job->rw & RW_WRITE && (job->fsync || job->fdatasync));
}

void loop_run(struct loop *l)
{
	if (needs_general(l->job))
		loop_run_general(l);
	else if (l->synchronous)
		run_synchronous(l);
	else
		run_asynchronous(l);
}
