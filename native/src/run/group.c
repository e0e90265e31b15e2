/* SPDX-License-Identifier: Apache-2.0 */
#include "run/group.h"

#include "engines/engine.h"
#include "run/progress.h"
#include "run/stop.h"
#include "run/trigger.h"
#include "stats/clock.h"

enum { POLL_NS = 100 * 1000 * 1000 };	/* a killed worker is noticed after this at most */

static enum status_state state_of(const struct run *r, struct span g)
{
	enum status_state state = STATUS_RAMP;

	if (stop_requested())
		return STATUS_FINISHING;
	for (uint32_t i = g.first; i < g.end; i++) {
		if (worker_measures(r->workers.members[i].worker.shared))
			state = STATUS_RUNNING;
	}
	return state;
}

static bool in_setup(const struct member *m)
{
	return atomic_load(&m->worker.shared->state) == WORKER_SETUP;
}

static bool all_ready(struct run *r, struct span g)
{
	for (uint32_t i = g.first; i < g.end; i++) {
		struct member *m = &r->workers.members[i];

		if (in_setup(m) && !member_waits(m) && !member_poll(m))
			return false;
	}
	return true;
}

/* Only once: each time wakes those that ended, too. */
static void stop_as(const struct member *m, enum engine_stop why)
{
	struct worker_shared *w = m->worker.shared;
	uint32_t none = 0;

	if (atomic_compare_exchange_strong(&w->stop, &none, why))
		futex_wake_all(&w->stop);
}

static void stop_member(const struct member *m)
{
	stop_as(m, ENGINE_STOP_RUN);
}

static bool would_meet(const struct member *m, const struct member *other)
{
	const struct engine_ops *ops = m->worker.job->ops;

	return ops->meets && ops->meets == other->worker.job->ops->meets &&
	       ops->meets(m->worker.job, m->clone, other->worker.job, other->clone);
}

/* Who waits for `failed` waits for nobody. */
static void call_off_waits(const struct run *r, struct span g, const struct member *failed)
{
	for (uint32_t i = g.first; i < g.end; i++) {
		const struct member *m = &r->workers.members[i];

		if (in_setup(m) && would_meet(m, failed))
			stop_as(m, ENGINE_STOP_ALONE);
	}
}

static void call_off_for_failed(struct run *r, struct span g)
{
	for (uint32_t i = g.first; i < g.end; i++) {
		struct member *m = &r->workers.members[i];

		if (m->worker.job->ops->meets && !member_waits(m) && member_poll(m) &&
		    m->worker.shared->error)
			call_off_waits(r, g, m);
	}
}

/* A signal's, to the words that the workers look at. */
static void pass_stop_on(const struct run *r, struct span g)
{
	for (uint32_t i = g.first; i < g.end && atomic_load(&r->workers.control->stop); i++)
		stop_member(&r->workers.members[i]);
}

void group_release(struct run *r, struct span g)
{
	struct run_control *control = r->workers.control;
	uint32_t seen = atomic_load(&control->events);

	for (; !all_ready(r, g); seen = atomic_load(&control->events)) {
		pass_stop_on(r, g);	/* some wait for others while they set up */
		call_off_for_failed(r, g);
		futex_wait(&control->events, seen, POLL_NS);
	}
	atomic_store(&control->go, r->workers.members[g.first].worker.group);
	futex_wake_all(&control->go);
}

/* exitall of a member that has ended: its group in the report, or all that run. */
static void end_others(struct run *r, struct span g, const struct job *ended)
{
	for (uint32_t i = g.first; i < g.end; i++) {
		const struct member *m = &r->workers.members[i];

		if (ended->process.exit_what != EXIT_GROUP ||
		    m->worker.job->group_id == ended->group_id)
			stop_member(m);
	}
	r->over = r->over || ended->process.exit_what == EXIT_ALL;
}

static bool ends_others(const struct member *m)
{
	const struct job *job = m->worker.job;

	return job->process.exitall || (job->process.exitall_on_error && m->worker.shared->error);
}

/* A job that only keeps a CPU busy beside the others ends with them. */
static void end_company(const struct run *r, struct span g)
{
	for (uint32_t i = g.first; i < g.end; i++) {
		const struct member *m = &r->workers.members[i];

		if (!m->gone && !(m->worker.job->ops->flags & ENGINE_NO_DATA))
			return;
	}
	for (uint32_t i = g.first; i < g.end; i++)
		if (r->workers.members[i].worker.job->process.ends_with_others)
			stop_member(&r->workers.members[i]);
}

static bool all_gone(struct run *r, struct span g)
{
	bool gone = true;

	for (uint32_t i = g.first; i < g.end; i++) {
		struct member *m = &r->workers.members[i];
		const bool ended = member_poll(m);

		if (ended && ends_others(m))
			end_others(r, g, m->worker.job);
		gone = ended && gone;
	}
	if (!gone)
		end_company(r, g);
	return gone;
}

/* All jobs end, as if their time were over. */
static void pull_trigger(struct run *r, struct span g)
{
	r->triggered = r->over = true;
	for (uint32_t i = g.first; i < g.end; i++)
		stop_member(&r->workers.members[i]);
}

/* Samples and progress that are due; when the next ones are. */
static uint64_t sample(struct run *r, struct span g, uint64_t now)
{
	const uint64_t logs_due = log_watch_tick(&r->logs, g.first, g.end, now);
	const uint64_t snapshots_due = snapshots_tick(&r->snapshots, now);
	const uint64_t bandwidth_due = bandwidth_log_tick(&r->bandwidth, &r->workers, now);
	uint64_t due = rows_sample(&r->rows, &r->workers, g.first, g.end, now);

	if (!r->triggered && trigger_pulled(&r->options->trigger, r->begin_ns, now))
		pull_trigger(r, g);
	if (status_due(&r->status, now))
		status_write(&r->status, state_of(r, g),
			     progress_of(&r->workers, g.first, g.end, now));
	due = logs_due < due ? logs_due : due;
	due = snapshots_due < due ? snapshots_due : due;
	due = bandwidth_due < due ? bandwidth_due : due;
	return due < now + POLL_NS ? due : now + POLL_NS;
}

void group_watch(struct run *r, struct span g)
{
	struct run_control *control = r->workers.control;

	for (;;) {
		const uint32_t seen = atomic_load(&control->events);
		const uint64_t now = clock_monotonic_ns();
		uint64_t due;

		if (all_gone(r, g))
			return;
		pass_stop_on(r, g);
		workers_start(&r->workers, g.first, g.end);
		due = sample(r, g, now);
		futex_wait(&control->events, seen, due > now ? due - now : 1);
	}
}
