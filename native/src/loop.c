/* SPDX-License-Identifier: Apache-2.0 */
#include "loop.h"

#include <errno.h>
#include <string.h>

#include "account.h"

/*
 * The plain loop: fill what is free, hand it over, wait for one, count what came.
 * The clock is read twice a round, so a round of 32 pays as much as one of 1; what
 * shares its clock reads is counted at once (account.h). The loop never asks what
 * kind of engine it drives.
 */

enum { STAMP_BYTES = 4096 };

/* One word a page: what is written never repeats, and a cache line a page is all
 * that it costs. */
static inline void stamp(struct loop *l, const struct io *io)
{
	for (uint32_t at = 0; at < io->length; at += STAMP_BYTES)
		*(uint64_t *)((char *)io->buffer + at) = ++l->stamp;
}

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

static inline void take(struct loop *l, const struct pattern_io *planned, uint32_t index,
			uint64_t now)
{
	struct io *io = l->free[--l->free_count];

	io->offset = planned->offset;
	io->length = planned->length;
	io->dir = planned->dir;
	io->file = planned->file;
	io->start_ticks = now;
	if (io->dir == DIR_WRITE)
		stamp(l, io);
	l->batch[index] = io;
	l->engine.ops->queue(&l->engine, io);
}

void loop_take(struct loop *l, const struct pattern_io *planned, uint32_t index, uint64_t now)
{
	take(l, planned, index, now);
}

static inline uint32_t fill(struct loop *l, uint64_t now)
{
	uint32_t n = 0;

	while (l->free_count) {
		if (l->planned_next == l->planned_count && !loop_plan(l))
			break;
		take(l, &l->planned[l->planned_next++], n++, now);
	}
	return n;
}

static uint64_t engine_failed(struct loop *l, int code)
{
	if (!l->error) {
		l->error = -code;
		worker_error(l->worker->shared, -code, "%s: ioengine %s failed: %s",
			     l->job->name, l->engine.ops->name, strerror(-code));
	}
	return clock_ticks();
}

/* A synchronous engine does the I/O here: its clock starts before. An asynchronous
 * one has handed it over when commit() returns. */
uint64_t loop_commit(struct loop *l, uint32_t n)
{
	uint64_t issue = l->synchronous ? clock_ticks() : 0;
	const int handed = l->engine.ops->commit(&l->engine);

	if (handed < 0)
		return engine_failed(l, handed);
	if (!l->synchronous)
		issue = clock_ticks();
	if (!n)
		return issue;
	for (uint32_t i = 0; i < n; i++)
		l->batch[i]->issue_ticks = issue;
	l->stats->submit_levels[account_level(n)]++;
	account_depth(l->stats, l->in_flight, n);
	l->in_flight += n;
	return issue;
}

static inline bool same_run(const struct account_run *r, const struct io *io)
{
	return r->issue_ticks == io->issue_ticks && r->dir == io->dir;
}

static inline void account_done(struct loop *l, uint32_t n, uint64_t now)
{
	struct account_run run = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		struct io *io = l->done[i];

		l->free[l->free_count++] = io;
		if (__builtin_expect(io->result != (int32_t)io->length ||
				     io->dir >= DIR_DATA_COUNT, 0)) {
			account_odd(l, io, now);
			continue;
		}
		if (!same_run(&run, io)) {
			if (run.count)
				account_run(l, &run, now);
			run = (struct account_run){
				.start_ticks = io->start_ticks,
				.issue_ticks = io->issue_ticks, .dir = io->dir,
			};
		}
		run.count++;
		run.bytes += io->length;
	}
	if (run.count)
		account_run(l, &run, now);
}

uint64_t loop_complete(struct loop *l, uint32_t min, uint32_t *count)
{
	const int n = l->engine.ops->reap(&l->engine, min, l->done);
	const uint64_t now = clock_ticks();

	*count = 0;
	if (n < 0)
		return engine_failed(l, n);
	if (!n)
		return now;
	l->stats->complete_levels[account_level((uint32_t)n)]++;
	l->in_flight -= (uint32_t)n;
	account_done(l, (uint32_t)n, now);
	*count = (uint32_t)n;
	return now;
}

bool loop_over(struct loop *l, uint64_t now)
{
	if (atomic_load_explicit(&l->worker->control->stop, memory_order_relaxed) || l->error)
		return true;
	return now >= l->event_ticks && worker_event(l, now);
}

/* A failed engine may never give back what it holds. */
void loop_drain(struct loop *l)
{
	uint32_t count = 1;

	while (l->in_flight && (count || !l->error)) {
		loop_complete(l, 1, &count);
		if (!count)
			l->engine.ops->commit(&l->engine);
	}
}

void loop_run(struct loop *l)
{
	uint64_t now = clock_ticks();
	uint32_t count;

	while (!loop_over(l, now)) {
		const uint32_t n = fill(l, now);

		if (!n && !l->in_flight)
			break;
		loop_commit(l, n);
		now = loop_complete(l, 1, &count);
	}
	loop_drain(l);
}
