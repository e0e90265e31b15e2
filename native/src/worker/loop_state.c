/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/loop_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stats/clock.h"

int loop_begin_pattern(struct loop *l, struct err *err)
{
	const struct target *t = l->target;
	struct pattern_extent *extents = calloc(t->files_count + 1, sizeof(*extents));
	int ret;

	if (!extents)
		return err_set(err, -ENOMEM, "%s: no memory", t->job->name);
	for (uint32_t i = 0; i < t->files_count; i++)
		extents[i] = t->files[i].extent;
	pattern_release(&l->pattern);
	ret = pattern_init(&l->pattern, t->job, extents, t->files_count, l->seed, err);
	free(extents);
	return ret;
}

/* As fio does, each pass over files begins with their caches dropped; uniform and
 * zoned jobs have no passes, and the first was dropped for when the files opened. */
static void pass_begun(struct loop *l)
{
	const struct pattern *p = &l->pattern;

	if (l->passes && !p->zoned && (!p->random || p->mapped))
		target_invalidate(l->target, l->engine.files);
	l->passes = p->passes;
}

/* Whether an I/O of the direction that has a rate would have to wait. */
static bool rate_waits(const struct loop *l)
{
	const struct rate *rate = &l->slow.rate;
	const uint64_t due_ns = rate_due_ns(rate, rate_limited(rate));

	return clock_ticks() < l->slow.begin_ticks + clock_ns_to_ticks(due_ns);
}

bool loop_plan(struct loop *l)
{
	uint32_t most = l->planned_most;

	if (pattern_may_hold(&l->pattern)) {
		pattern_hold(&l->pattern, rate_waits(l));
		most = 1;
	}
	l->planned_next = 0;
	l->planned_count = pattern_fill(&l->pattern, l->planned, most);
	if (l->pattern.passes != l->passes)
		pass_begun(l);
	return l->planned_count;
}

bool loop_event(struct loop *l, uint64_t now)
{
	return l->error || l->at_event(l->event_context, now);
}

void loop_fail(struct loop *l, int error)
{
	if (!l->error)
		l->error = error;
	l->event_ticks = 0;
}

void loop_engine_failed(struct loop *l, int code)
{
	const struct err *why = l->engine.err;

	loop_fail(l, -code);
	worker_error(l->shared, -code, "%s: ioengine %s failed: %s", l->job->name,
		     l->engine.ops->name, why && why->text[0] ? why->text : strerror(-code));
}

/* One word a sector: a cache line of each is all that it costs. Not inlined: loops that read have
 * better uses for registers. */
void loop_stamp(struct loop *l, const struct io *io)
{
	enum { SECTOR_BYTES = 512 };
	uint64_t stamp = l->stamp;

	for (char *at = io->buffer, *end = at + io->length; at < end; at += SECTOR_BYTES)
		*(uint64_t *)(void *)at = ++stamp;
	l->stamp = stamp;
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
