/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_LOOP_STEPS_H
#define IOGATE_LOOP_STEPS_H

#include "stats/clock.h"
#include "worker/account.h"
#include "worker/loop_state.h"

/*
 * The steps of a round, shared by the loops and inlined into each: what a loop knows
 * (a synchronous engine, no syncs among the I/Os) is a constant there and costs
 * nothing. A step ends where an engine is called, so values that live across steps
 * are few.
 */
#define STEP static inline __attribute__((always_inline))

STEP void step_prepare(struct loop *l, struct io *io, const struct pattern_io *planned)
{
	io->buffer = io->home;
	io->offset = planned->offset;
	io->what = planned->what;
	if (planned->dir == DIR_WRITE)
		loop_stamp(l, io);
}

/* One more I/O for the engine. */
STEP struct io *step_take(struct loop *l, const struct pattern_io *planned, uint64_t now)
{
	struct io *io = l->free[--l->free_count];

	step_prepare(l, io, planned);
	io->start_ticks = now;
	l->engine.ops->queue(&l->engine, io);
	return io;
}

/* Stopped, past its time, or failed (then event_ticks is 0). */
STEP bool step_over(struct loop *l, uint64_t now)
{
	if (__builtin_expect(atomic_load_explicit(l->stop, memory_order_relaxed), 0))
		return true;
	return __builtin_expect(now >= l->event_ticks, 0) && loop_event(l, now);
}

/* Hand a batch of n over; when that was. A synchronous engine does the I/O here: its
 * clock starts before; an asynchronous one has it when commit() returns. */
STEP uint64_t step_commit(struct loop *l, struct io *const *batch, uint32_t n, bool synchronous)
{
	uint64_t issue = synchronous ? clock_ticks() : 0;
	const int handed = l->engine.ops->commit(&l->engine);

	if (__builtin_expect(handed < 0, 0))
		loop_engine_failed(l, handed);
	if (!synchronous)
		issue = clock_ticks();
	for (uint32_t i = 0; i < n; i++)
		batch[i]->issue_ticks = issue;
	if (!synchronous)
		account_submit(l->stats, l->in_flight, n);
	l->in_flight += n;
	return issue;
}

STEP bool step_same_run(const struct io *a, const struct io *b)
{
	return a->issue_ticks == b->issue_ticks && a->dir == b->dir;
}

/* Count those in front that are whole and share their clock reads; how many. */
STEP uint32_t step_count_batch(struct loop *l, struct io *const *done, uint32_t n, uint64_t now,
			       bool synchronous, bool may_sync)
{
	const struct io *first = done[0];
	uint64_t bytes = 0;
	uint32_t i = 0;

	for (; i < n && account_whole(done[i], may_sync) && step_same_run(first, done[i]); i++)
		bytes += done[i]->length;
	if (i)
		account_run(l, first, i, bytes, now, synchronous);
	return i;
}

STEP uint32_t step_count_single(struct loop *l, const struct io *io, uint64_t now,
				bool synchronous, bool may_sync)
{
	if (!account_whole(io, may_sync))
		return 0;
	account_run(l, io, 1, io->length, now, synchronous);
	return 1;
}

/* Count n reaped I/Os and free their slots; singly where each was handed over alone. */
STEP void step_count(struct loop *l, uint32_t n, uint64_t now, bool synchronous, bool may_sync,
		     bool singly)
{
	struct io **free = l->free + l->free_count;

	for (uint32_t i = 0; i < n;) {
		struct io *const *done = l->done + i;
		const uint32_t count = singly
			? step_count_single(l, *done, now, synchronous, may_sync)
			: step_count_batch(l, done, n - i, now, synchronous, may_sync);

		for (uint32_t j = 0; j < count; j++)
			*free++ = done[j];
		i += count;
		if (__builtin_expect(count, 1))
			continue;
		i++;
		if (account_odd(l, *done, now))
			*free++ = *done;
		else
			loop_again(l, *done);
	}
	l->free_count = (uint32_t)(free - l->free);
}

/* The same for a loop of one slot; false: it is not whole, and its rest comes next. */
STEP bool step_count_one(struct loop *l, struct io *io, uint64_t now, bool synchronous)
{
	if (__builtin_expect(!account_whole(io, false), 0))
		return account_odd(l, io, now);
	account_run(l, io, 1, io->length, now, synchronous);
	return true;
}

/* Reap at least min and count them: how many; *now is when they were there. */
STEP uint32_t step_complete(struct loop *l, uint32_t min, uint64_t *now, bool synchronous,
			    bool may_sync, bool singly)
{
	const uint32_t least = min < l->in_flight ? min : l->in_flight;
	const int n = l->engine.ops->reap(&l->engine, least, l->done);

	*now = clock_ticks();
	if (__builtin_expect(n <= 0, 0)) {
		if (n < 0)
			loop_engine_failed(l, n);
		return 0;
	}
	if (!synchronous)
		l->stats->complete_levels[account_level((uint32_t)n)]++;
	if (may_sync && l->needs.extras)
		account_extras(l, (uint32_t)n, *now);
	l->in_flight -= (uint32_t)n;
	if (may_sync)
		account_slow(l, (uint32_t)n, *now);
	step_count(l, (uint32_t)n, *now, synchronous, may_sync, singly);
	return (uint32_t)n;
}

/* Wait for all that is in flight. A failed engine may never give back what it holds. */
void step_drain(struct loop *l);

#endif
