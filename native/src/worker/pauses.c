/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/pauses.h"

#include <sched.h>

#include "stats/clock.h"

/* When a job that is past its share looks again. */
uint64_t pause_of_flow(const struct loop *l, uint64_t now)
{
	const uint64_t sleep_ns = UINT64_C(1000) * l->job->process.flow_sleep_us;

	if (!sleep_ns)
		sched_yield();
	return now + clock_ns_to_ticks(sleep_ns) + 1;
}

/* Sleep, and spin for the rest. The parent and the deadline cut it short. */
uint64_t pause_until(struct loop *l, uint64_t due)
{
	const uint64_t spin = clock_ns_to_ticks(PAUSE_SPIN_NS);
	const uint64_t end = due < l->event_ticks ? due : l->event_ticks;
	uint64_t now = clock_ticks();

	for (; now + spin < end && !loop_stopped(l); now = clock_ticks())
		futex_wait(l->stop, 0, clock_ticks_to_ns(end - now - spin));
	while (now < end && !loop_stopped(l))
		now = clock_ticks();
	return now;
}

/* What makes the next pause: a number of I/Os, or time. */
void pause_later(struct loop *l, uint64_t now)
{
	const struct job *job = l->job;

	l->slow.think_left = l->slow.think_ticks = UINT64_MAX;
	if (!job->think.pause_ns && !job->think.cycles)
		return;
	if (job->think.blocks || !job->think.iotime_ns)
		l->slow.think_left = job->think.blocks ? job->think.blocks : 1;
	if (job->think.iotime_ns)
		l->slow.think_ticks = now + clock_ns_to_ticks(job->think.iotime_ns);
}

/* About a cycle each. */
static void work(uint64_t cycles)
{
	for (uint64_t i = 0; i < cycles; i++)
		__asm__ volatile("" : "+r"(i));
}

/* As fio does, a pause begins when nothing is in flight. */
uint64_t pause_think(struct loop *l)
{
	const struct job *job = l->job;
	uint64_t begin, spin_end, now;

	work(job->think.cycles);
	now = begin = clock_ticks();
	spin_end = begin + clock_ns_to_ticks(job->think.spin_ns);
	while (now < spin_end && now < l->event_ticks && !loop_stopped(l))
		now = clock_ticks();
	now = pause_until(l, begin + clock_ns_to_ticks(job->think.pause_ns));
	if (job->rate.ignore_thinktime)
		rate_delay(&l->slow.rate, clock_between_ns(begin, now));
	pause_later(l, now);
	return now;
}
