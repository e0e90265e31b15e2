/* SPDX-License-Identifier: Apache-2.0 */
#include "loop.h"

#include "steps.h"

/*
 * The loop of jobs that do more than I/O after I/O: it looks at each one. A sync
 * is an I/O like others, in its turn, with statistics of its own; one that is due
 * after the last write is left to end_fsync.
 */

/* fsync=n wins over fdatasync=n, as the safer of the two. */
static uint32_t sync_every(const struct job *job)
{
	return job->fsync ? job->fsync : job->fdatasync;
}

static bool sync_due(const struct loop *l)
{
	const uint32_t every = sync_every(l->job);

	return every && l->writes_unsynced >= every;
}

static void take_sync(struct loop *l, uint32_t index, uint64_t now)
{
	const struct pattern_io sync = { .dir = DIR_SYNC, .file = l->file_written };
	struct io *next = l->free[l->free_count - 1];

	next->data_only = !l->job->fsync;
	step_take(l, &sync, index, now);
	l->writes_unsynced = 0;
}

static bool take_next(struct loop *l, uint32_t index, uint64_t now)
{
	if (l->planned_next == l->planned_count && !loop_plan(l))
		return false;
	if (sync_due(l)) {
		take_sync(l, index, now);
		return true;
	}
	const struct pattern_io *planned = &l->planned[l->planned_next++];

	if (planned->dir == DIR_WRITE) {
		l->writes_unsynced++;
		l->file_written = planned->file;
	}
	step_take(l, planned, index, now);
	return true;
}

/* thinktime comes after each I/O: there is never a second one to batch with. */
static uint32_t fill_some(struct loop *l, uint64_t now)
{
	const uint32_t limit = l->job->thinktime_ns ? 1 : l->engine.depth;
	uint32_t n = 0;

	while (n < limit && l->free_count && take_next(l, n, now))
		n++;
	return n;
}

/* An early end (the parent, the deadline) cuts the rest short. */
static uint64_t think(struct loop *l, uint32_t completed)
{
	const uint64_t until = clock_ticks() +
			       clock_ns_to_ticks(l->job->thinktime_ns * completed);
	const uint64_t end = until < l->event_ticks ? until : l->event_ticks;
	_Atomic uint32_t *stop = l->stop;
	uint64_t now = clock_ticks();

	for (; now < end && !atomic_load(stop); now = clock_ticks())
		futex_wait(stop, 0, clock_ticks_to_ns(end - now));
	return now;
}

void loop_run_general(struct loop *l)
{
	const bool thinks = l->job->thinktime_ns;
	uint64_t now = clock_ticks();

	while (!step_over(l, now)) {
		const uint32_t n = fill_some(l, now);
		uint32_t count;

		if (!n && !l->in_flight)
			break;
		step_commit(l, n, l->synchronous);
		count = step_complete(l, thinks && n && l->free_count ? 0 : 1, &now,
				      l->synchronous, true);
		if (thinks && count)
			now = think(l, count);
	}
	loop_drain(l);
}
