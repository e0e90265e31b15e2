/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/loop_general.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "worker/loop_steps.h"

enum { SPIN_NS = 50000 };	/* the last bit before a due time: a sleep may end late by it */

/* When the next I/O may begin, in ticks. */
#define DUE_NOW UINT64_C(0)
#define DUE_NEVER UINT64_MAX	/* the pattern has no more */

/* fsync=n wins over fdatasync=n, as the safer of the two. */
static uint32_t sync_every(const struct job *job)
{
	return job->fsync ? job->fsync : job->fdatasync;
}

static bool sync_due(const struct loop *l)
{
	const uint32_t every = sync_every(l->job);

	return every && l->slow.writes_unsynced >= every;
}

/* Every file written since the last time is synced, one I/O each. */
static struct pattern_io next_sync(struct loop *l)
{
	struct slow *s = &l->slow;

	while (!s->dirty[s->sync_file])
		s->sync_file = (s->sync_file + 1) % l->engine.files_count;
	s->dirty[s->sync_file] = 0;
	if (!--s->dirty_count)
		s->writes_unsynced = 0;
	return (struct pattern_io){ .dir = DIR_SYNC, .file = (uint16_t)s->sync_file,
				    .data_only = !l->job->fsync };
}

static void note_write(struct loop *l, uint32_t file)
{
	l->slow.writes_unsynced++;
	l->slow.dirty_count += !l->slow.dirty[file];
	l->slow.dirty[file] = 1;
}

/* While verifying, what was written is read and the rest left out. */
static bool have_planned(struct loop *l)
{
	for (;;) {
		if (l->planned_next == l->planned_count && !loop_plan(l))
			return false;
		if (!l->slow.verifying)
			return true;
		if (!l->slow.verify_left)
			return false;
		l->slow.verify_left--;
		if (l->planned[l->planned_next].dir == DIR_WRITE) {
			l->planned[l->planned_next].dir = DIR_READ;
			return true;
		}
		l->planned_next++;
	}
}

static uint64_t replay_due_ns(const struct loop *l)
{
	return pattern_due_ns(&l->pattern, l->planned_count - l->planned_next);
}

/* The intended start of the next planned I/O; 0 when it has none. */
static uint64_t intended_start(const struct loop *l)
{
	const struct rate *p = &l->slow.rate;
	const uint8_t dir = l->planned[l->planned_next].dir;

	if (l->slow.verifying)
		return 0;
	if (l->job->replay.trace && !l->job->replay.no_stall)
		return l->slow.begin_ticks + clock_ns_to_ticks(replay_due_ns(l));
	if (!rate_limits(p, dir))
		return 0;
	return l->slow.begin_ticks + clock_ns_to_ticks(rate_due_ns(p, dir));
}

/* Buffers are whole pages: the last word may reach past the I/O, never past its buffer. */
static void fill(struct random *noise, const struct job *job, const struct io *io)
{
	uint64_t *words = io->home;

	if (job->buffers.zero) {	/* a read may have been here */
		memset(words, 0, io->length);
		return;
	}
	for (size_t i = 0; job->buffers.refill && i * sizeof(*words) < io->length; i++)
		words[i] = random_next(noise);
}

static struct io *take_planned(struct loop *l, uint64_t now)
{
	const struct pattern_io *planned = &l->planned[l->planned_next++];
	struct io *io = l->free[--l->free_count];

	step_prepare(l, io, planned);
	if (planned->dir == DIR_WRITE) {
		note_write(l, planned->file);
		fill(&l->slow.noise, l->job, io);
		if (l->job->verify.method)
			verify_seal(&l->slow.verify, io);
	}
	if (l->slow.rate.on)
		rate_advance(&l->slow.rate, planned->dir, planned->length);
	l->slow.taken++;
	l->slow.think_left--;
	io->start_ticks = now;
	l->engine.ops->queue(&l->engine, io);
	if (l->iolog)
		account_record(l, io);
	return io;
}

static struct io *take_sync(struct loop *l, uint64_t now)
{
	const struct pattern_io sync = next_sync(l);
	struct io *io;

	io = step_take(l, &sync, now);
	if (l->iolog)
		account_record(l, io);
	return io;
}

/* One more I/O into the engine, or NULL and when it will be due. */
static struct io *take_next(struct loop *l, uint64_t now, uint64_t *due)
{
	uint64_t start;
	struct io *io;

	*due = DUE_NEVER;
	if (!have_planned(l))
		return NULL;
	if (sync_due(l))
		return take_sync(l, now);
	start = intended_start(l);
	*due = start;
	if (start > now) {
		now = clock_ticks();
		if (start > now)
			return NULL;
	}
	io = take_planned(l, now);
	io->due_ticks = start;
	*due = DUE_NOW;
	return io;
}

/* iodepth_low: once full, nothing new until few are left. */
static bool refilling(struct loop *l)
{
	const uint32_t low = l->job->depth.low;

	if (!l->free_count)
		l->slow.emptying = low && low < l->engine.depth;
	if (l->in_flight <= low)
		l->slow.emptying = false;
	return !l->slow.emptying;
}

static void commit_some(struct loop *l, uint32_t *n, uint64_t *now)
{
	*now = step_commit(l, l->batch, *n, l->synchronous);
	*n = 0;
	if (!l->reap_min && !l->synchronous)
		step_complete(l, 0, now, false, true, false);
	if (l->clock_per_io)
		*now = clock_ticks();
}

static bool stopped(const struct loop *l)
{
	return atomic_load_explicit(l->stop, memory_order_relaxed);
}

/* With iodepth_batch_complete_min=0, slots come back while it fills: then only the end of
 * the run ends it. */
static uint64_t fill_some(struct loop *l, uint64_t *now)
{
	uint64_t due = DUE_NOW;
	uint32_t n = 0;

	while (l->free_count && l->slow.think_left && *now < l->event_ticks && !stopped(l) &&
	       refilling(l)) {
		struct io *io = take_next(l, *now, &due);

		if (!io)
			break;
		l->batch[n++] = io;
		if (n == l->batch_submit)
			commit_some(l, &n, now);
	}
	if (n)
		commit_some(l, &n, now);
	refilling(l);
	return due;
}

/* Sleep, and spin for the rest. The parent and the deadline cut it short. */
static uint64_t wait_until(struct loop *l, uint64_t due)
{
	const uint64_t spin = clock_ns_to_ticks(SPIN_NS);
	const uint64_t end = due < l->event_ticks ? due : l->event_ticks;
	uint64_t now = clock_ticks();

	for (; now + spin < end && !stopped(l); now = clock_ticks())
		futex_wait(l->stop, 0, clock_ticks_to_ns(end - now - spin));
	while (now < end && !stopped(l))
		now = clock_ticks();
	return now;
}

/* Wait for completions; not past the moment when the next I/O is due. */
static uint64_t complete_some(struct loop *l, uint64_t due, uint64_t now)
{
	const uint64_t spin = clock_ns_to_ticks(SPIN_NS);
	uint32_t min = l->reap_min ? l->reap_min : 1;

	if (due != DUE_NOW && due != DUE_NEVER) {
		min = now + spin < due;
		l->engine.timeout_ns = min ? clock_ticks_to_ns(due - now - spin) : 0;
	}
	step_complete(l, min, &now, l->synchronous, true, false);
	l->engine.timeout_ns = 0;
	return now;
}

/* As fio does, a pause begins when nothing is in flight. */
static uint64_t think(struct loop *l)
{
	const struct job *job = l->job;
	const uint64_t begin = clock_ticks();
	const uint64_t spin_end = begin + clock_ns_to_ticks(job->think.spin_ns);
	uint64_t now = begin;

	l->slow.think_left = job->think.blocks;
	while (now < spin_end && now < l->event_ticks && !stopped(l))
		now = clock_ticks();
	now = wait_until(l, begin + clock_ns_to_ticks(job->think.pause_ns));
	if (job->think.iotime_ns) {
		l->slow.think_left = UINT64_MAX;
		l->slow.think_ticks = now + clock_ns_to_ticks(job->think.iotime_ns);
	}
	return now;
}

static void run(struct loop *l)
{
	uint64_t now = clock_ticks();

	while (!step_over(l, now)) {
		const uint64_t due = fill_some(l, &now);

		if (now >= l->slow.think_ticks)
			l->slow.think_left = 0;
		if (l->in_flight)
			now = complete_some(l, due, now);
		else if (due == DUE_NEVER)
			break;
		else if (!l->slow.think_left)
			now = think(l);
		else if (due != DUE_NOW)
			now = wait_until(l, due);
	}
	step_drain(l);
}

static int slow_init(struct loop *l)
{
	const struct job *job = l->job;
	struct slow *s = &l->slow;

	*s = (struct slow){
		.dirty = calloc(l->engine.files_count + 1, 1), .begin_ticks = clock_ticks(),
		.think_left = UINT64_MAX, .think_ticks = UINT64_MAX,
		.noise = { ~l->seed }, .verify = { .unit_bytes = pattern_unit(job) },
	};
	rate_init(&s->rate, job, l->seed);
	if (job->think.pause_ns && !job->think.iotime_ns)
		s->think_left = job->think.blocks;
	else if (job->think.pause_ns)
		s->think_ticks = s->begin_ticks + clock_ns_to_ticks(job->think.iotime_ns);
	if (job->verify.method && job->rw & RW_WRITE)
		s->verify.run = random_mix(clock_unix_ms() ^ l->seed) | 1;
	return s->dirty ? 0 : -ENOMEM;
}

/* The same pattern once more, its writes as reads. The deadline is not for this part. */
static void verify_written(struct loop *l)
{
	struct slow *s = &l->slow;
	struct err why = { 0 };

	if (l->error || stopped(l) || loop_begin_pattern(l, &why)) {
		if (why.code)
			loop_fail(l, -why.code);
		return;
	}
	s->verifying = true;
	s->verify_left = s->taken;
	s->verify_ticks = clock_ticks();
	s->think_left = UINT64_MAX;
	s->think_ticks = UINT64_MAX;
	l->event_ticks = UINT64_MAX;
	l->planned_next = l->planned_count = 0;
	run(l);
}

void loop_run_general(struct loop *l)
{
	if (slow_init(l)) {
		loop_fail(l, ENOMEM);
		return;
	}
	run(l);
	if (l->job->verify.method && l->job->verify.at_end && l->job->rw & RW_WRITE)
		verify_written(l);
	if (l->slow.verify_error)
		loop_fail(l, l->slow.verify_error);
	free(l->slow.dirty);
	l->slow.dirty = NULL;
}
