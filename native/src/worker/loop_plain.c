/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/loop_plain.h"

#include "stats/clock.h"
#include "worker/loop_steps.h"

/* Each loop by itself: its registers are its own. */
#define LOOP static __attribute__((noinline)) void

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
	step_drain(l);
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
STEP void run_single(struct loop *l, bool synchronous)
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
	run_single(l, true);
}

LOOP run_alone(struct loop *l)
{
	run_single(l, false);
}

void loop_run_plain(struct loop *l)
{
	if (l->synchronous)
		run_synchronous(l);
	else if (l->alone)
		run_alone(l);
	else if (l->batch_submit == 1)
		run_singly(l);
	else
		run_batches(l);
}
