/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_STEPS_H
#define IOGATE_STEPS_H

#include "account.h"
#include "clock.h"
#include "loop.h"

/*
 * The steps of a round, shared by the loops and inlined into each: what a loop knows
 * (a synchronous engine, no syncs among the I/Os) is a constant there and costs
 * nothing. A step ends where an engine is called, so values that live across steps
 * are few.
 */
#define STEP static inline __attribute__((always_inline))

enum { STAMP_BYTES = 4096 };

/* One word a page: what is written never repeats, and a cache line a page is all
 * that it costs. */
STEP void step_stamp(struct loop *l, const struct io *io)
{
	for (uint32_t at = 0; at < io->length; at += STAMP_BYTES)
		*(uint64_t *)((char *)io->buffer + at) = ++l->stamp;
}

STEP void step_prepare(struct loop *l, struct io *io, const struct pattern_io *planned)
{
	io->offset = planned->offset;
	io->length = planned->length;
	io->dir = planned->dir;
	io->file = planned->file;
	if (planned->dir == DIR_WRITE)
		step_stamp(l, io);
}

/* One more I/O for the engine, as number `index` of this batch. */
STEP void step_take(struct loop *l, const struct pattern_io *planned, uint32_t index,
		    uint64_t now)
{
	struct io *io = l->free[--l->free_count];

	step_prepare(l, io, planned);
	io->start_ticks = now;
	l->batch[index] = io;
	l->engine.ops->queue(&l->engine, io);
}

/* Stopped, past its time, or failed (then event_ticks is 0). */
STEP bool step_over(struct loop *l, uint64_t now)
{
	if (__builtin_expect(atomic_load_explicit(l->stop, memory_order_relaxed), 0))
		return true;
	return __builtin_expect(now >= l->event_ticks, 0) && loop_event(l, now);
}

/* Hand the batch over. A synchronous engine does the I/O here: its clock starts before;
 * an asynchronous one has it when commit() returns. */
STEP void step_commit(struct loop *l, uint32_t n, bool synchronous)
{
	uint64_t issue = synchronous ? clock_ticks() : 0;
	const int handed = l->engine.ops->commit(&l->engine);

	if (__builtin_expect(handed < 0, 0))
		loop_engine_failed(l, handed);
	if (!synchronous)
		issue = clock_ticks();
	if (!n)
		return;
	for (uint32_t i = 0; i < n; i++)
		l->batch[i]->issue_ticks = issue;
	if (!synchronous)
		account_submit(l->stats, l->in_flight, n);
	l->in_flight += n;
}

/* Count I/Os of one batch and direction: they share their clock reads. */
STEP void step_count_run(struct loop *l, const struct io *first, uint64_t count,
			 uint64_t bytes, uint64_t now, bool synchronous)
{
	struct dir_stats *d = &l->stats->dirs[first->dir];
	const uint64_t clat = account_ns(first->issue_ticks, now);

	d->ios += count;
	d->bytes += bytes;
	moments_add_sums(&d->clat, clat, count);
	histogram_add_n(&d->clat_histogram, clat, count);
	if (!synchronous) {
		const uint64_t slat = account_ns(first->start_ticks, first->issue_ticks);

		moments_add_sums(&d->slat, slat, count);
		moments_add_sums(&d->lat, slat + clat, count);
	}
}

/* Moved all it should: the only kind that the fast path counts. */
STEP bool step_whole(const struct io *io, bool may_sync)
{
	return io->result == (int32_t)io->length && !(may_sync && io->dir == DIR_SYNC);
}

STEP bool step_same_run(const struct io *a, const struct io *b)
{
	return a->issue_ticks == b->issue_ticks && a->dir == b->dir;
}

/* Count n reaped I/Os, run by run, and free their slots. */
STEP void step_count(struct loop *l, uint32_t n, uint64_t now, bool synchronous, bool may_sync)
{
	struct io *const *done = l->done, *const *end = done + n;
	struct io **free = l->free + l->free_count;

	while (done < end) {
		struct io *const *from = done, *first = *done;
		uint64_t bytes = 0;

		for (; done < end && step_whole(*done, may_sync) && step_same_run(first, *done);
		     done++) {
			bytes += (*done)->length;
			*free++ = *done;
		}
		if (__builtin_expect(done == from, 0)) {
			*free++ = first;
			done++;
			account_odd(l, first, now);
			continue;
		}
		step_count_run(l, first, (uint64_t)(done - from), bytes, now, synchronous);
	}
	l->free_count += n;
}

/* Reap at least min and count them: how many; *now is when they were there. */
STEP uint32_t step_complete(struct loop *l, uint32_t min, uint64_t *now, bool synchronous,
			    bool may_sync)
{
	const int n = l->engine.ops->reap(&l->engine, min, l->done);

	*now = clock_ticks();
	if (__builtin_expect(n <= 0, 0)) {
		if (n < 0)
			loop_engine_failed(l, n);
		return 0;
	}
	if (!synchronous)
		l->stats->complete_levels[account_level((uint32_t)n)]++;
	if (may_sync && l->extras)
		account_extras(l, (uint32_t)n, *now);
	l->in_flight -= (uint32_t)n;
	step_count(l, (uint32_t)n, *now, synchronous, may_sync);
	return (uint32_t)n;
}

#endif
