/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/flow.h"

/* How far one may be ahead: without any lead each I/O would wait for one of the others. */
enum { LEAD_SHARE = 64 };

void flow_enter(const struct worker *w)
{
	uint32_t before;

	if (!w->flow || w->shared->flow_weight)
		return;
	w->shared->flow_weight = w->job->process.flow;
	before = atomic_fetch_add(&w->flow->weight, w->shared->flow_weight);
	if (!before)
		return;
	w->shared->flow_ios = atomic_load(&w->flow->ios) * w->shared->flow_weight / before;
	atomic_fetch_add(&w->flow->ios, w->shared->flow_ios);
}

void flow_leave(const struct worker *w)
{
	if (!w->flow || !w->shared->flow_weight)
		return;
	atomic_fetch_sub(&w->flow->weight, w->shared->flow_weight);
	atomic_fetch_sub(&w->flow->ios, w->shared->flow_ios);
	w->shared->flow_weight = 0;
}

bool flow_waits(const struct worker *w)
{
	const uint64_t all = atomic_load_explicit(&w->flow->ios, memory_order_relaxed);
	const uint64_t weight = atomic_load_explicit(&w->flow->weight, memory_order_relaxed);
	const uint64_t share = all * w->shared->flow_weight;

	return w->shared->flow_ios * weight > share + share / LEAD_SHARE;
}

void flow_note(const struct worker *w)
{
	w->shared->flow_ios++;
	atomic_fetch_add_explicit(&w->flow->ios, 1, memory_order_relaxed);
}
