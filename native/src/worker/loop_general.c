/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/loop_general.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engines/cmdprio.h"
#include "worker/flow.h"
#include "worker/file_locks.h"
#include "worker/latency_target.h"
#include "worker/loop_steps.h"
#include "worker/loop_trims.h"
#include "worker/loop_verify.h"
#include "worker/open_files.h"
#include "worker/pace.h"
#include "worker/pauses.h"
#include "worker/ramp.h"
#include "worker/syncs.h"

/* When the next I/O may begin, in ticks. */
#define DUE_NOW UINT64_C(0)
#define DUE_NEVER UINT64_MAX	/* the pattern has no more */

static bool have_planned(struct loop *l)
{
	const uint64_t loops = l->pattern.loops;

	if (l->planned_next < l->planned_count)
		return true;
	if (!loop_plan(l))
		return false;
	if (l->slow.checking.written.index && l->pattern.loops != loops)
		loop_verify_new_loop(l);
	return true;
}

/* verify_only: what would be written is only noted. */
static bool have_more(struct loop *l)
{
	while (have_planned(l)) {
		if (!l->job->verify.only || l->planned[l->planned_next].dir != DIR_WRITE ||
		    loop_verify_due(l))
			return loop_verify_reads(l, &l->planned[l->planned_next]);
		loop_verify_note(l, &l->planned[l->planned_next++]);
	}
	return false;
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

	if (l->job->replay.trace && !l->job->replay.no_stall)
		return l->slow.begin_ticks + clock_ns_to_ticks(replay_due_ns(l));
	if (!rate_limits(p, dir))
		return 0;
	return l->slow.begin_ticks + clock_ns_to_ticks(rate_due_ns(p, dir));
}

/* A slot keeps what it was told. */
static void prioritize(struct loop *l, const struct io *io, uint16_t priority)
{
	if (io->dir == DIR_TRIM)
		priority = 0;
	else
		l->engine.ops->prioritize(&l->engine, io, priority);
	l->slow.priorities[io->slot] = priority;
}

static struct io *take_planned(struct loop *l, uint64_t now)
{
	const struct pattern_io *planned = &l->planned[l->planned_next++];
	struct io *io = l->free[--l->free_count];

	io->buffer = io->home;
	io->offset = planned->offset;
	io->what = planned->what;
	l->slow.checking.looked += planned->dir == DIR_READ;
	if (planned->dir == DIR_WRITE) {
		syncs_note_write(l, planned);
		if (content_is_written(l->job))
			content_fill(&l->slow.content, io->home, io->length);
		else if (!l->job->verify.method && !l->job->buffers.unscrambled)
			loop_stamp(l, io);
		if (l->job->verify.method)
			loop_verify_seal(l, io);
	}
	l->slow.trims += planned->dir == DIR_TRIM;
	if (l->slow.flying)
		l->slow.flying[io->slot] = *planned;
	if (l->slow.rate.on)
		rate_advance(&l->slow.rate, planned->dir, planned->length);
	l->slow.think_left--;
	io->start_ticks = now;
	l->engine.ops->queue(&l->engine, io);
	if (l->needs.priorities)
		prioritize(l, io, cmdprio_draw(l->job->cmdprio, io->dir, io->length,
					       &l->slow.choices));
	if (l->iolog)
		account_record(l, io);
	return io;
}

static struct io *take_sync(struct loop *l, uint64_t now)
{
	struct pattern_io sync;
	struct io *io;

	loop_verify_sync(l);
	sync = syncs_next(l);
	io = step_take(l, &sync, now);
	if (l->needs.priorities)
		prioritize(l, io, 0);
	if (l->iolog)
		account_record(l, io);
	return io;
}

/* A block has to be trimmed before it is written. */
static bool awaits_trim(const struct loop *l)
{
	return l->pattern.pair.on && l->slow.trims &&
	       l->planned[l->planned_next].dir == DIR_WRITE;
}

static bool overlap(const struct pattern_io *a, const struct pattern_io *b)
{
	return a->file == b->file && a->offset < b->offset + b->length &&
	       b->offset < a->offset + a->length && (a->dir != DIR_READ || b->dir != DIR_READ);
}

/* Something in flight touches the same bytes, and one of both changes them. */
static bool awaits_other(const struct loop *l)
{
	for (uint32_t i = 0; l->slow.flying && i < l->engine.depth; i++) {
		if (overlap(&l->planned[l->planned_next], &l->slow.flying[i]))
			return true;
	}
	return false;
}

/* Its file is open; not yet, as long as those in flight are in the way. */
static bool has_file(struct loop *l, uint32_t file)
{
	if (!l->needs.opens_files)
		return true;
	if (l->job->files.unlink_each_loop && !l->slow.checking.on &&
	    l->slow.loops != l->pattern.loops) {
		if (l->free_count < l->engine.depth)
			return false;
		if (l->slow.loops)
			open_files_renew(l);
		l->slow.loops = l->pattern.loops;
	}
	return open_files_ready(l, file);
}

static bool has_lock(struct loop *l, const struct pattern_io *io, uint64_t *now)
{
	return !l->needs.locks || file_locks_take(l, io, now);
}

/* A block that was written is read. */
static struct io *take_check(struct loop *l, uint64_t now, uint64_t *due)
{
	struct pattern_io next;
	struct io *io;

	if (!loop_verify_next(l, &next) || !has_file(l, next.file) || !has_lock(l, &next, &now))
		return NULL;
	io = step_take(l, &next, now);
	if (l->needs.priorities)
		prioritize(l, io, 0);
	io->due_ticks = 0;
	loop_verify_take(l, io);
	if (l->iolog)
		account_record(l, io);
	*due = DUE_NOW;
	return io;
}

/* A block that was written is trimmed. */
static struct io *take_trim(struct loop *l, uint64_t now, uint64_t *due)
{
	struct pattern_io next;
	struct io *io;

	if (!loop_trims_next(l, &next) || !has_file(l, next.file) || !has_lock(l, &next, &now))
		return NULL;
	loop_trims_take(l);
	io = step_take(l, &next, now);
	if (l->needs.priorities)
		prioritize(l, io, 0);
	io->due_ticks = 0;
	if (l->iolog)
		account_record(l, io);
	*due = DUE_NOW;
	return io;
}

/* One more I/O into the engine, or NULL and when it will be due. */
static struct io *take_next(struct loop *l, uint64_t now, uint64_t *due)
{
	uint64_t start;
	struct io *io;

	*due = DUE_NEVER;
	if (l->slow.checking.trims.on)
		return take_trim(l, now, due);
	if (l->slow.checking.on)
		return take_check(l, now, due);
	if (l->slow.full || !have_more(l) || awaits_trim(l) || awaits_other(l) ||
	    loop_verify_due(l))
		return NULL;
	if (syncs_due(l))
		return has_file(l, syncs_file(l)) ? take_sync(l, now) : NULL;
	if (!has_file(l, l->planned[l->planned_next].file))
		return NULL;
	if (syncs_range_due(l))
		now = syncs_range(l);
	start = intended_start(l);
	*due = start;
	if (start > now) {
		now = clock_ticks();
		if (start > now)
			return NULL;
	}
	if (l->job->replay.trace && syncs_replay(l)) {
		*due = DUE_NOW;
		return NULL;
	}
	if (l->flow && flow_waits(l->flow)) {
		*due = pause_of_flow(l, now);
		return NULL;
	}
	if (!has_lock(l, &l->planned[l->planned_next], &now)) {
		*due = DUE_NEVER;
		return NULL;
	}
	io = take_planned(l, now);
	if (l->flow)
		flow_note(l->flow);
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

/* With iodepth_batch_complete_min=0, slots come back while it fills: then only the end of
 * the run ends it. */
static uint64_t fill_some(struct loop *l, uint64_t *now)
{
	uint64_t due = DUE_NOW;
	uint32_t n = 0;

	while (l->free_count && l->slow.think_left && *now < l->event_ticks && !loop_stopped(l) &&
	       l->in_flight + n < l->slow.search.depth && refilling(l)) {
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

/* Wait for completions; not past the moment when the next I/O is due. */
static uint64_t complete_some(struct loop *l, uint64_t due, uint64_t now)
{
	const uint64_t spin = clock_ns_to_ticks(PAUSE_SPIN_NS);
	uint32_t min = l->reap_min ? l->reap_min : 1;

	if (due != DUE_NOW && due != DUE_NEVER) {
		min = now + spin < due;
		l->engine.timeout_ns = min ? clock_ticks_to_ns(due - now - spin) : 0;
	}
	step_complete(l, min, &now, l->synchronous, true, false);
	l->engine.timeout_ns = 0;
	return now;
}

static void run(struct loop *l)
{
	uint64_t now = clock_ticks();

	while (!step_over(l, now)) {
		const uint64_t due = fill_some(l, &now);

		if (now >= l->slow.pace_ticks)
			pace_look(l, now);
		if (now >= l->slow.search.end_ticks && latency_target_look(l, now))
			break;
		if (now >= l->slow.think_ticks)
			l->slow.think_left = 0;
		if (l->in_flight)
			now = complete_some(l, due, now);
		else if (due == DUE_NEVER) {
			if (!loop_verify_turn(l))
				break;
		} else if (!l->slow.think_left)
			now = pause_think(l);
		else if (due != DUE_NOW)
			now = pause_until(l, due);
		if (l->slow.ramp_bytes)
			ramp_look(l, now);
	}
	step_drain(l);
}

static int slow_init(struct loop *l)
{
	const struct job *job = l->job;
	struct slow *s = &l->slow;
	int code;

	*s = (struct slow){
		.dirty = calloc(l->engine.files_count + 1, 1), .begin_ticks = clock_ticks(),
	};
	rate_init(&s->rate, job, l->seed);
	content_init(&s->content, job, ~l->seed, l->target->clone);
	pause_later(l, s->begin_ticks);
	s->ramp_bytes = ramp_bytes(l);
	latency_target_init(l);
	pace_init(l);
	if (job->depth.serialize_overlap && l->engine.depth > 1)
		s->flying = calloc(l->engine.depth, sizeof(*s->flying));
	if (job->sync_range.every)
		s->ranges = calloc(l->engine.files_count + 1, sizeof(*s->ranges));
	s->choices.state = random_mix(l->seed);
	if (l->needs.priorities)
		s->priorities = calloc(l->engine.depth, sizeof(*s->priorities));
	if (!s->dirty || (job->sync_range.every && !s->ranges) ||
	    (l->needs.priorities && !s->priorities) ||
	    (!s->flying && job->depth.serialize_overlap && l->engine.depth > 1))
		return -ENOMEM;
	if (l->needs.locks && file_locks_init(l))
		return -ENOMEM;
	code = loop_verify_init(l);
	return !code && l->needs.opens_files ? open_files_init(l) : code;
}

void loop_run_general(struct loop *l)
{
	const int code = slow_init(l);

	if (code)
		loop_fail(l, -code);
	else
		run(l);
	account_found(l, true);
	if (l->slow.checking.error)
		loop_fail(l, l->slow.checking.error);
	loop_verify_save(l);
	loop_verify_release(l);
	free(l->slow.dirty);
	free(l->slow.flying);
	free(l->slow.ranges);
	free(l->slow.priorities);
	open_files_release(l);
	file_locks_release(l);
	l->slow.dirty = NULL;
	l->slow.ranges = NULL;
	l->slow.flying = NULL;
	l->slow.priorities = NULL;
}
