/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/loop.h"

#include <string.h>

#include "worker/loop_steps.h"

/*
 * The plain loops. Asynchronous: fill what is free, batch by batch, wait for one, count
 * what came; the clock is read once a batch handed over and once a reap. One at a time:
 * the same with one slot, for depth 1 and for engines that know no other. Neither asks
 * what kind of engine or pattern it drives.
 */

/* Each loop by itself: its registers are its own. */
#define LOOP static __attribute__((noinline)) void

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

void loop_again(struct loop *l, struct io *io)
{
	int handed;

	l->engine.ops->queue(&l->engine, io);
	handed = l->engine.ops->commit(&l->engine);
	if (handed < 0)
		loop_engine_failed(l, handed);
	l->in_flight++;
}

/* A failed engine may never give back what it holds. */
void loop_drain(struct loop *l)
{
	uint64_t now;
	uint32_t count = 1;

	while (l->in_flight && (count || !l->error)) {
		count = step_complete(l, 1, &now, l->synchronous, true, true);
		if (!count)
			l->engine.ops->commit(&l->engine);
	}
}

/* Fill what is free, `most` at a time; *now becomes when the last batch was handed over. */
STEP void fill(struct loop *l, uint64_t *now, uint32_t most)
{
	uint32_t n = 0;

	while (l->free_count) {
		if (l->planned_next == l->planned_count && !loop_plan(l))
			break;
		l->batch[n++] = step_take(l, &l->planned[l->planned_next++], *now);
		if (n == most) {
			*now = step_commit(l, l->batch, n, false);
			n = 0;
		}
	}
	if (n)
		*now = step_commit(l, l->batch, n, false);
}

STEP void run_deep(struct loop *l, bool singly)
{
	uint64_t now = clock_ticks();

	while (!step_over(l, now)) {
		fill(l, &now, singly ? 1 : l->batch_submit);
		if (!l->in_flight)
			break;
		step_complete(l, l->reap_min, &now, false, false, singly);
	}
	loop_drain(l);
}

LOOP run_batches(struct loop *l)
{
	run_deep(l, false);
}

LOOP run_singly(struct loop *l)
{
	run_deep(l, true);
}

/* A signal ended the wait, or the engine failed. */
static __attribute__((noinline)) bool wait_again(struct loop *l, int count)
{
	while (!count)
		count = l->engine.ops->reap(&l->engine, 1, l->done);
	if (count < 0)
		loop_engine_failed(l, count);
	return count > 0;
}

/* Hand one I/O over and wait for it; false: the engine failed. */
STEP bool move_one(struct loop *l, struct io *io, bool synchronous)
{
	const struct engine_ops *ops = l->engine.ops;
	int count;

	if (synchronous)
		io->issue_ticks = clock_ticks();
	count = ops->commit(&l->engine);
	if (!synchronous)
		io->issue_ticks = clock_ticks();
	if (__builtin_expect(count >= 0, 1))
		count = ops->reap(&l->engine, 1, l->done);
	return __builtin_expect(count > 0, 1) || wait_again(l, count);
}

/* The start is the end of the one before: what lies between is our own cost, and slat. */
STEP void run_one(struct loop *l, bool synchronous)
{
	struct io *io = l->engine.ios;
	uint64_t now = clock_ticks();

	while (!step_over(l, now)) {
		if (l->planned_next == l->planned_count && !loop_plan(l))
			break;
		step_prepare(l, io, &l->planned[l->planned_next++]);
		io->start_ticks = now;
		do {
			l->engine.ops->queue(&l->engine, io);
			if (!move_one(l, io, synchronous))
				return;
			now = clock_ticks();
		} while (!step_count_one(l, io, now, synchronous));
	}
}

LOOP run_synchronous(struct loop *l)
{
	run_one(l, true);
}

LOOP run_alone(struct loop *l)
{
	run_one(l, false);
}

static bool has_rate(const struct job *job)
{
	bool any = false;

	for (int dir = 0; dir < DIR_DATA_COUNT; dir++)
		any = any || job->rate_bytes[dir] || job->rate_iops[dir];
	return any;
}

bool loop_is_general(const struct loop *l)
{
	const struct job *job = l->job;

	return account_wants_extras(job) || job->trace || job->write_iolog || job->thinktime_ns ||
	       job->verify || has_rate(job) || job->iodepth_low ||
	       !job->batch_complete_min || l->worker->clock_per_io ||
	       (job->rw & RW_WRITE && (job->fsync || job->fdatasync || job->refill_buffers ||
				       job->zero_buffers));
}

void loop_run(struct loop *l)
{
	const bool general = loop_is_general(l);

	l->one = !general && !l->job->gtod_reduce && l->engine.depth == 1;
	if (general)
		loop_run_general(l);
	else if (l->job->gtod_reduce)
		loop_run_untimed(l);
	else if (l->synchronous)
		run_synchronous(l);
	else if (l->one)
		run_alone(l);
	else if (l->batch_submit == 1)
		run_singly(l);
	else
		run_batches(l);
}
