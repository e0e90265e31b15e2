/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/disk_util.h"
#include "run/log_watch.h"
#include "run/progress.h"
#include "run/rows.h"
#include "run/status.h"
#include "run/workers.h"
#include "stats/clock.h"
#include "target/device_claims.h"
#include "util/version.h"

enum {
	POLL_NS = 100 * 1000 * 1000,	/* a killed worker is noticed after this at most */
	SERIES_INTERVAL_MS = 100,	/* of a run up to 40 s; see INTERVALS_MAX in sampler.c */
};

struct run {
	const struct job_list *jobs;
	const struct run_options *options;
	struct result *result;
	struct workers workers;
	struct rows rows;
	struct status status;
	struct disk_watch disks;
	struct device_claims claims;
	struct log_watch logs;
};

/* A signal handler sees only these. */
static struct run_control *_Atomic current_control;
static atomic_bool stop_requested;

void run_request_stop(void)
{
	struct run_control *control = current_control;

	stop_requested = true;
	if (!control)
		return;
	atomic_store(&control->stop, 1);
	atomic_fetch_add(&control->events, 1);
	futex_wake_all(&control->stop);
	futex_wake_all(&control->go);
	futex_wake_all(&control->events);
}

static void say(const struct run *r, const char *text)
{
	if (r->options->say)
		r->options->say(r->options->say_context, text);
}

static uint32_t series_interval_ms(const struct run *r)
{
	const uint32_t asked = r->options->series_interval_ms;

	return asked ? asked : SERIES_INTERVAL_MS;
}

static int watch_all(struct run *r, struct err *err)
{
	status_init(&r->status, r->options);
	r->status.workers = calloc(r->workers.count + 1, sizeof(void *));
	if (!r->status.workers)
		return err_set(err, -ENOMEM, "no memory for %u jobs", r->workers.count);
	for (uint32_t i = 0; i < r->workers.count; i++) {
		r->status.workers[i] = &r->workers.shared[i];
		worker_stats_init(&r->workers.shared[i].stats);
	}
	r->status.workers_count = r->workers.count;
	return 0;
}

static void hook_say(void *context, const char *text)
{
	struct run *r = context;

	status_write(&r->status, STATUS_LAYOUT, (struct progress){ 0 });
	say(r, text);
}

static bool hook_stop(void *context)
{
	struct run *r = context;

	if (status_due(&r->status, clock_monotonic_ns()))
		status_write(&r->status, STATUS_LAYOUT, (struct progress){ 0 });
	return stop_requested;
}

static int lay_out(struct run *r, struct err *err)
{
	const struct target_hooks hooks = { .say = hook_say, .stop = hook_stop, .context = r };
	int ret = 0;

	for (uint32_t i = 0; !ret && i < r->workers.count; i++)
		ret = target_layout(&r->workers.members[i].target, &hooks, err);
	return ret;
}

struct span {
	uint32_t first, end;		/* members of one group */
};

static enum status_state state_of(const struct run *r, struct span g)
{
	enum status_state state = STATUS_RAMP;

	if (stop_requested)
		return STATUS_FINISHING;
	for (uint32_t i = g.first; i < g.end; i++) {
		if (worker_measures(r->workers.members[i].worker.shared))
			state = STATUS_RUNNING;
	}
	return state;
}

static bool all_ready(struct run *r, struct span g)
{
	for (uint32_t i = g.first; i < g.end; i++) {
		struct member *m = &r->workers.members[i];

		if (atomic_load(&m->worker.shared->state) == WORKER_SETUP && !member_poll(m))
			return false;
	}
	return true;
}

static void release_group(struct run *r, struct span g)
{
	struct run_control *control = r->workers.control;
	uint32_t seen = atomic_load(&control->events);

	for (; !all_ready(r, g); seen = atomic_load(&control->events))
		futex_wait(&control->events, seen, POLL_NS);
	atomic_store(&control->go, r->workers.members[g.first].worker.group);
	futex_wake_all(&control->go);
}

/* Only once: each time wakes those that ended, too. */
static void end_group(struct run_control *control)
{
	if (atomic_exchange(&control->stop, 1))
		return;
	futex_wake_all(&control->stop);
	futex_wake_all(&control->go);
}

static bool all_gone(struct run *r, struct span g)
{
	bool gone = true;

	for (uint32_t i = g.first; i < g.end; i++) {
		struct member *m = &r->workers.members[i];
		const bool ended = member_poll(m);

		if (ended && m->worker.job->process.exitall)
			end_group(r->workers.control);
		gone = ended && gone;
	}
	return gone;
}

/* Samples and progress that are due; when the next ones are. */
static uint64_t sample(struct run *r, struct span g, uint64_t now)
{
	const uint64_t logs_due = log_watch_tick(&r->logs, g.first, g.end, now);
	uint64_t due = rows_sample(&r->rows, &r->workers, g.first, g.end, now);

	if (status_due(&r->status, now))
		status_write(&r->status, state_of(r, g),
			     progress_of(&r->workers, g.first, g.end, now));
	due = logs_due < due ? logs_due : due;
	return due < now + POLL_NS ? due : now + POLL_NS;
}

static void watch_group(struct run *r, struct span g)
{
	struct run_control *control = r->workers.control;

	for (;;) {
		const uint32_t seen = atomic_load(&control->events);
		const uint64_t now = clock_monotonic_ns();
		uint64_t due;

		if (all_gone(r, g))
			return;
		due = sample(r, g, now);
		futex_wait(&control->events, seen, due > now ? due - now : 1);
	}
}

static struct span next_group(const struct workers *workers, uint32_t first)
{
	struct span g = { first, first };

	while (g.end < workers->count &&
	       workers->members[g.end].worker.group == workers->members[first].worker.group)
		g.end++;
	return g;
}

/* No steady state was reached: what should have been left out is all that there is. */
static void tell_ramp(const struct run *r, const struct job *job)
{
	char text[512];

	snprintf(text, sizeof(text), "%s: warning: the job ended before its ramp_time did, and its "
		 "results are those of the ramp: make ramp_time shorter, or the job longer "
		 "(time_based with runtime)", job->name);
	say(r, text);
}

/* At once, as a long run may go on: results repeat errors at the end. */
static void tell_trouble(const struct run *r, struct span g)
{
	for (uint32_t i = g.first; i < g.end; i++) {
		const struct worker *w = &r->workers.members[i].worker;

		if (w->shared->error)
			say(r, w->shared->error_text);
		else if (w->shared->in_ramp && !stop_requested)
			tell_ramp(r, w->job);
	}
}

/* That the kernel's clock is used instead of the counter, and why. */
static void tell_fallback(struct run *r)
{
	char text[2 * sizeof(clock_state.fallback)];

	snprintf(text, sizeof(text), IOGATE_ENGINE_NAME ": warning: jobs are timed by "
		 "clock_gettime, not by the time stamp counter: %s", clock_state.fallback);
	say(r, text);
}

static void run_groups(struct run *r)
{
	struct workers *workers = &r->workers;

	for (struct span g = next_group(workers, 0); g.first < workers->count && !stop_requested;
	     g = next_group(workers, g.end)) {
		if (!clock_check())
			tell_fallback(r);
		workers_start(workers, g.first, g.end);
		release_group(r, g);
		watch_group(r, g);
		workers_reap(workers, g.first, g.end);
		atomic_store(&workers->control->stop, stop_requested);
		log_watch_finish(&r->logs, workers, g.first, g.end);
		rows_finish(&r->rows, workers, g.first, g.end);
		tell_trouble(r, g);
	}
	status_write(&r->status, STATUS_FINISHING,
		     (struct progress){ .fraction = stop_requested ? 0 : 1 });
}

/* Reads are per I/O where every batch is one I/O. */
static const char *clock_reads(const struct workers *workers, bool clock_per_io)
{
	if (clock_per_io)
		return "per-io";
	for (uint32_t i = 0; i < workers->count; i++) {
		const struct job *job = workers->members[i].worker.job;

		if (job->depth.iodepth > 1 && !engine_is_sync(job->ops))
			return "per-batch";
	}
	return "per-io";
}

/* What the last group was measured with; of a counter that drifted, all that is left to do
 * is to say so. */
static void note_clock(struct run *r)
{
	char text[2 * sizeof(clock_state.fallback)];

	r->result->clock = (struct clock_facts){
		.source = clock_source_name(), .frequency_hz = clock_state.frequency_hz,
		.error_ppm = clock_error_ppm(),
		.reads = clock_reads(&r->workers, r->options->clock_per_io),
		.read_cost_ns = clock_read_cost_ns(),
	};
	memcpy(r->result->clock.fallback, clock_state.fallback, sizeof(clock_state.fallback));
	if (clock_check())
		return;
	snprintf(text, sizeof(text), IOGATE_ENGINE_NAME ": warning: times are off: of the "
		 "time stamp counter, %s; measure with clocksource=clock_gettime",
		 clock_state.fallback);
	say(r, text);
}

static int claim_devices(struct run *r, struct err *err)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < r->workers.count; i++)
		ret = device_claims_add(&r->claims, &r->workers.members[i].target, err);
	return ret;
}

static int prepare(struct run *r, struct err *err)
{
	int ret = workers_init(&r->workers, r->jobs, r->options, err);

	if (!ret)
		ret = rows_init(&r->rows, r->result, &r->workers, series_interval_ms(r), err);
	if (!ret)
		ret = watch_all(r, err);
	if (!ret)
		ret = claim_devices(r, err);
	if (!ret)
		ret = log_watch_init(&r->logs, &r->workers, err);
	if (!ret)
		ret = lay_out(r, err);
	for (uint32_t i = 0; !ret && i < r->workers.count; i++)
		if (r->workers.members[i].worker.job->report.disk_util)
			disk_watch_add(&r->disks, &r->workers.members[i].target);
	return ret;
}

static void measure(struct run *r)
{
	struct result *result = r->result;

	clock_calibrate();
	if (clock_state.fallback[0])
		tell_fallback(r);
	result->start_unix_ms = clock_unix_ms();
	disk_watch_begin(&r->disks);
	current_control = r->workers.control;
	if (stop_requested)
		run_request_stop();
	run_groups(r);
	for (uint32_t i = 0; i < r->workers.count; i++)
		target_unlink(&r->workers.members[i].target);
	current_control = NULL;
	disk_watch_end(&r->disks, &result->disks, &result->disks_count);
	result->end_unix_ms = clock_unix_ms();
	result->interrupted = stop_requested;
	stop_requested = false;
	note_clock(r);
}

static void release(struct run *r)
{
	rows_release(&r->rows);
	status_release(&r->status);
	device_claims_release(&r->claims);
	log_watch_release(&r->logs);
	workers_release(&r->workers);
}

static bool wants_clock(const struct job_list *jobs, enum clock_choice choice)
{
	bool any = false;

	for (size_t i = 0; i < jobs->count; i++)
		any = any || jobs->jobs[i].report.clocksource == choice;
	return any;
}

int run_jobs(const struct job_list *jobs, const struct run_options *options,
	     struct result *result, struct err *err)
{
	struct run r = { .jobs = jobs, .options = options, .result = result };
	struct workers *memory = calloc(1, sizeof(*memory));
	int ret;

	*result = (struct result){ .memory = memory };
	if (!memory)
		return err_set(err, -ENOMEM, "no memory");
	clock_init(!wants_clock(jobs, CLOCK_GETTIME));
	ret = prepare(&r, err);
	if (!ret)
		measure(&r);
	*memory = r.workers;	/* the mapping outlives the run: rows point into it */
	release(&r);
	if (ret)
		result_release(result);
	return ret;
}

void result_release(struct result *result)
{
	for (size_t i = 0; i < result->rows_count; i++) {
		free(result->rows[i].series.intervals);
		free(result->rows[i].series.bins);
	}
	free(result->rows);
	free(result->disks);
	if (result->memory)
		workers_unmap(result->memory);
	free(result->memory);
	*result = (struct result){ 0 };
}
