/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/latency_target.h"

#include <errno.h>
#include <inttypes.h>

#include "stats/clock.h"

enum { ALL_PERCENT = 100, LEAST_WINDOW_NS = 1000 };

/* Without latency_window each I/O is judged, as in fio. */
static uint64_t window_ticks(const struct job *job)
{
	const uint64_t ns = job->latency.window_ns;

	return clock_ns_to_ticks(ns ? ns : LEAST_WINDOW_NS);
}

void latency_target_init(struct loop *l)
{
	const struct job *job = l->job;
	struct depth_search *s = &l->slow.search;

	*s = (struct depth_search){ .depth = l->engine.depth, .over = l->engine.depth + 1,
				    .end_ticks = UINT64_MAX };
	if (job->latency.target_ns)
		l->shared->latency_depth = s->depth;
	if (job->latency.target_ns)
		s->end_ticks = l->slow.begin_ticks + window_ticks(job);
}

void latency_target_count(struct loop *l, uint64_t lat_ns)
{
	l->slow.search.ios++;
	l->slow.search.met += lat_ns <= l->job->latency.target_ns;
}

/* What was met once may not be so for good: the search begins anew from there. */
static void follow(struct depth_search *s, bool met, uint32_t most)
{
	s->under = met ? s->depth : 0;
	s->over = met ? most + 1 : s->depth;
}

/* As in fio, where a share of the I/Os may take longer the job goes on, one at a time, and may meet
 * it yet. */
static bool fails(struct loop *l)
{
	if (l->job->latency.percentile < ALL_PERCENT)
		return false;
	loop_fail(l, ETIMEDOUT);
	worker_error(l->shared, ETIMEDOUT, "%s: latency_target=%" PRIu64 " ns is not met by "
		     "%g %% of I/Os, even one at a time", l->job->name, l->job->latency.target_ns,
		     l->job->latency.percentile);
	return true;
}

bool latency_target_look(struct loop *l, uint64_t now)
{
	struct depth_search *s = &l->slow.search;
	const double share = s->ios ? (double)s->met * 100 / (double)s->ios : 0;
	const bool met = share >= l->job->latency.percentile;

	if (!s->ios) {			/* nothing to judge by yet */
		s->end_ticks = now + window_ticks(l->job);
		return false;
	}
	if (met)
		s->under = s->depth;
	else
		s->over = s->depth;
	if (s->over == 1 && !l->job->latency.run && fails(l))
		return true;
	if (s->over - s->under <= 1) {
		if (!l->job->latency.run && met) {
			l->shared->latency_depth = s->depth;
			return true;
		}
		if (l->job->latency.run)
			follow(s, met, l->engine.depth);
	}
	s->depth = s->over - s->under <= 1 ? (s->under ? s->under : 1) : (s->under + s->over) / 2;
	l->shared->latency_depth = s->depth;
	s->ios = s->met = 0;
	s->end_ticks = now + window_ticks(l->job);
	return false;
}
