/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "run/clock_facts.h"
#include "run/group.h"
#include "run/lock_table.h"
#include "run/stop.h"
#include "run/trigger.h"
#include "stats/clock.h"
#include "target/target_folder.h"
#include "util/version.h"
#include "worker/placement.h"

enum { SERIES_INTERVAL_MS = 100 };	/* of a run up to 40 s; see INTERVALS_MAX in sampler.c */

void run_request_stop(void)
{
	stop_request();
}

void run_request_look(void)
{
	snapshots_request();
}

static void say(const struct run *r, const char *text)
{
	if (r->options->say)
		r->options->say(r->options->say_context, text);
}

static void warn(const struct run *r, const char *text)
{
	if (r->options->warn)
		r->options->warn(r->options->say_context, text);
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
	return stop_requested();
}

/* In front of the logs: those that have the name of a job may be in there. */
static int make_folders(struct run *r, struct err *err)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < r->workers.count; i++) {
		const struct member *m = &r->workers.members[i];

		placement_owner(m->worker.job, true);
		ret = target_folder_make_all(&m->target, err);
		placement_owner(m->worker.job, false);
	}
	return ret;
}

static int lay_out(struct run *r, struct err *err)
{
	const struct target_hooks hooks = { .say = hook_say, .stop = hook_stop, .context = r };
	int ret = 0;

	for (uint32_t i = 0; !ret && i < r->workers.count; i++) {
		struct member *m = &r->workers.members[i];

		placement_owner(m->worker.job, true);
		ret = target_layout(&m->target, &hooks, err);
		placement_owner(m->worker.job, false);
	}
	return ret;
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

	snprintf(text, sizeof(text), "%s: warning: the job ended before its ramp did, and its "
		 "results are those of the ramp: make that shorter, or the job longer "
		 "(time_based with runtime)", job->name);
	warn(r, text);
}

/* At once, as a long run may go on: results repeat errors at the end. */
static void tell_trouble(const struct run *r, struct span g)
{
	for (uint32_t i = g.first; i < g.end; i++) {
		const struct worker *w = &r->workers.members[i].worker;

		if (w->shared->error_text[0])
			warn(r, w->shared->error_text);
		else if (w->shared->in_ramp && !stop_requested())
			tell_ramp(r, w->job);
	}
}

/* That the kernel's clock is used instead of the counter, and why. */
static void tell_fallback(struct run *r)
{
	char text[2 * sizeof(clock_state.fallback)];

	snprintf(text, sizeof(text), IOGATE_ENGINE_NAME ": warning: jobs are timed by "
		 "clock_gettime, not by the time stamp counter: %s", clock_state.fallback);
	warn(r, text);
}

static void run_groups(struct run *r)
{
	struct workers *workers = &r->workers;

	for (struct span g = next_group(workers, 0);
	     g.first < workers->count && !stop_requested() && !r->over;
	     g = next_group(workers, g.end)) {
		if (!clock_check())
			tell_fallback(r);
		workers_start(workers, g.first, g.end);
		group_release(r, g);
		group_watch(r, g);
		workers_reap(workers, g.first, g.end);
		atomic_store(&workers->control->stop, stop_requested());
		log_watch_finish(&r->logs, workers, g.first, g.end);
		rows_finish(&r->rows, workers, g.first, g.end);
		tell_trouble(r, g);
	}
	status_write(&r->status, STATUS_FINISHING,
		     (struct progress){ .fraction = stop_requested() ? 0 : 1 });
}

/* What the last group was measured with; of a counter that drifted, all that is left to do
 * is to say so. */
static void note_clock(struct run *r)
{
	char text[2 * sizeof(clock_state.fallback)];

	r->result->clock = clock_facts_of(&r->workers, r->options->clock_per_io);
	if (clock_check())
		return;
	snprintf(text, sizeof(text), IOGATE_ENGINE_NAME ": warning: times are off: of the "
		 "time stamp counter, %s; measure with clocksource=clock_gettime",
		 clock_state.fallback);
	warn(r, text);
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
		ret = lock_table_make(&r->workers, err);
	if (!ret)
		ret = rows_init(&r->rows, r->result, &r->workers, series_interval_ms(r), err);
	if (!ret)
		ret = watch_all(r, err);
	if (!ret)
		ret = claim_devices(r, err);
	if (!ret)
		ret = make_folders(r, err);
	if (!ret)
		ret = log_watch_init(&r->logs, &r->workers, err);
	if (!ret)
		ret = lay_out(r, err);
	if (!ret)
		ret = cgroups_init(&r->cgroups, &r->workers, err);
	if (!ret && r->options->bandwidth_log)
		ret = bandwidth_log_begin(&r->bandwidth, clock_monotonic_ns(), err);
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
	result->clock = clock_facts_of(&r->workers, r->options->clock_per_io);
	result->start_unix_ms = clock_unix_ms();
	if (r->options->idle_profile)
		idleness_calibrate(&result->idleness);
	idle_watch_begin(&r->idle, r->options->idle_profile);
	disk_watch_begin(&r->disks);
	r->begin_ns = clock_monotonic_ns();
	r->snapshots = (struct snapshots){ .options = r->options, .rows = &r->rows,
					   .workers = &r->workers, .disks = &r->disks };
	stop_attach(r->workers.control);
	run_groups(r);
	for (uint32_t i = 0; i < r->workers.count; i++)
		target_unlink(&r->workers.members[i].target);
	stop_attach(NULL);
	disk_watch_end(&r->disks, &result->disks, &result->disks_count);
	idle_watch_end(&r->idle, &result->idleness);
	bandwidth_log_finish(&r->bandwidth, &r->workers, clock_monotonic_ns());
	result->end_unix_ms = clock_unix_ms();
	result->interrupted = stop_requested();
	stop_clear();
	note_clock(r);
	if (r->triggered)
		trigger_run(&r->options->trigger);
}

static void release(struct run *r)
{
	rows_release(&r->rows);
	bandwidth_log_finish(&r->bandwidth, &r->workers, clock_monotonic_ns());
	status_release(&r->status);
	device_claims_release(&r->claims);
	log_watch_release(&r->logs);
	lock_table_release(&r->workers);
	cgroups_release(&r->cgroups);
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
	struct run r = { .jobs = jobs, .options = options, .result = result,
			 .cgroups = { .line = -1 } };
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
		steady_release(&result->rows[i]);
	}
	free(result->rows);
	free(result->disks);
	idleness_release(&result->idleness);
	if (result->memory)
		workers_unmap(result->memory);
	free(result->memory);
	*result = (struct result){ 0 };
}
