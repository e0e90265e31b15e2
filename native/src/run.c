/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "crew.h"
#include "disk_util.h"
#include "sampler.h"
#include "status.h"

enum {
	POLL_NS = 100 * 1000 * 1000,	/* a killed worker is noticed after this at most */
	SERIES_INTERVAL_MS = 1000,
};

struct run {
	const struct job_list *jobs;
	const struct run_options *options;
	struct result *result;
	struct crew crew;
	struct row_sampler *samplers;		/* one a row */
	struct status status;
	struct disk_watch disks;
	int *claims;				/* block devices held open with O_EXCL */
	uint32_t claims_count;
	uint32_t group, groups_count;
};

/* A signal handler sees only these. */
static struct run_control *volatile current_control;
static volatile int stop_requested;

void run_request_stop(void)
{
	struct run_control *control = current_control;

	stop_requested = 1;
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

/* Rows: one a clone, or one a group for jobs with group_reporting. */
static bool same_row(const struct job *a, const struct job *b)
{
	return a->group_reporting && b->group_reporting && a->group_id == b->group_id;
}

static uint32_t row_of(const struct run *r, uint32_t i, uint32_t rows_count)
{
	const struct member *m = &r->crew.members[i];

	for (uint32_t j = 0; m->worker.job->group_reporting && j < i; j++) {
		if (same_row(r->crew.members[j].worker.job, m->worker.job))
			return r->crew.members[j].row;
	}
	return rows_count;
}

static uint32_t series_interval_ms(const struct run *r)
{
	const uint32_t asked = r->options->series_interval_ms;

	return asked ? asked : SERIES_INTERVAL_MS;
}

static void join_row(struct run *r, uint32_t i)
{
	struct member *m = &r->crew.members[i];
	struct job_result *row = &r->result->rows[m->row];
	struct row_sampler *s = &r->samplers[m->row];

	if (!row->jobs_count++) {
		*row = (struct job_result){
			.job = m->worker.job, .clone = m->clone, .jobs_count = 1,
			.group_id = m->worker.job->group_id, .stats = &m->worker.shared->stats,
		};
		row->series.interval_ms = series_interval_ms(r);
		for (int dir = 0; dir < DIR_DATA_COUNT; dir++) {
			moments_init(&row->rates[dir].bw_kib);
			moments_init(&row->rates[dir].iops);
		}
		s->row = row;
	}
	s->workers[s->workers_count++] = m->worker.shared;
}

static int make_rows(struct run *r, struct err *err)
{
	struct crew *c = &r->crew;
	uint32_t rows = 0, *sizes = calloc(c->count + 1, sizeof(*sizes));

	for (uint32_t i = 0; sizes && i < c->count; i++) {
		c->members[i].row = row_of(r, i, rows);
		rows += c->members[i].row == rows;
		sizes[c->members[i].row]++;
	}
	r->result->rows = calloc(rows + 1, sizeof(*r->result->rows));
	r->samplers = calloc(rows + 1, sizeof(*r->samplers));
	if (!sizes || !r->result->rows || !r->samplers) {
		free(sizes);
		return err_set(err, -ENOMEM, "no memory for the results of %u jobs", c->count);
	}
	r->result->rows_count = rows;
	for (uint32_t i = 0; i < rows; i++)
		r->samplers[i].workers = calloc(sizes[i], sizeof(void *));
	free(sizes);
	for (uint32_t i = 0; i < c->count; i++) {
		if (!r->samplers[c->members[i].row].workers)
			return err_set(err, -ENOMEM, "no memory for %u jobs", c->count);
		join_row(r, i);
	}
	return 0;
}

static int watch_all(struct run *r, struct err *err)
{
	status_init(&r->status, r->options);
	r->status.workers = calloc(r->crew.count + 1, sizeof(void *));
	if (!r->status.workers)
		return err_set(err, -ENOMEM, "no memory for %u jobs", r->crew.count);
	for (uint32_t i = 0; i < r->crew.count; i++) {
		r->status.workers[i] = &r->crew.shared[i];
		worker_stats_init(&r->crew.shared[i].stats);
	}
	r->status.workers_count = r->crew.count;
	return 0;
}

/* O_EXCL on a block device fails while anyone uses it, and keeps it unmountable; one
 * claim serves all clones. */
static int claim(struct run *r, const struct target *t, const struct target_file *f,
		 struct err *err)
{
	const int fd = open(f->path, O_RDONLY | O_EXCL | O_CLOEXEC);
	int *larger;

	if (fd < 0)
		return err_set(err, -errno, "%s: cannot claim '%s' for writing: %s; name an unused "
			       "device", t->job->name, f->path, strerror(errno));
	larger = realloc(r->claims, (r->claims_count + 1) * sizeof(int));
	if (!larger) {
		close(fd);
		return err_set(err, -ENOMEM, "%s: no memory", t->job->name);
	}
	r->claims = larger;
	r->claims[r->claims_count++] = fd;
	return 0;
}

static bool claimed_before(const struct run *r, uint32_t member, dev_t device)
{
	for (uint32_t i = 0; i < member; i++) {
		const struct target *t = &r->crew.members[i].target;

		for (uint32_t j = 0; t->job->rw & RW_WRITE && j < t->files_count; j++) {
			if (t->files[j].type == S_IFBLK && t->files[j].device == device)
				return true;
		}
	}
	return false;
}

static int claim_devices(struct run *r, struct err *err)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < r->crew.count; i++) {
		const struct target *t = &r->crew.members[i].target;

		for (uint32_t j = 0; !ret && t->job->rw & RW_WRITE && j < t->files_count; j++) {
			if (t->files[j].type == S_IFBLK &&
			    !claimed_before(r, i, t->files[j].device))
				ret = claim(r, t, &t->files[j], err);
		}
	}
	return ret;
}

static void hook_say(void *context, const char *text)
{
	struct run *r = context;

	status_write(&r->status, STATUS_LAYOUT, 0);
	say(r, text);
}

static bool hook_stop(void *context)
{
	struct run *r = context;

	if (status_due(&r->status, clock_monotonic_ns()))
		status_write(&r->status, STATUS_LAYOUT, 0);
	return stop_requested;
}

static int lay_out(struct run *r, struct err *err)
{
	const struct target_hooks hooks = { .say = hook_say, .stop = hook_stop, .context = r };
	int ret = 0;

	for (uint32_t i = 0; !ret && i < r->crew.count; i++)
		ret = target_layout(&r->crew.members[i].target, &hooks, err);
	return ret;
}

static double member_fraction(const struct member *m, uint64_t now_ns)
{
	const struct worker_shared *w = m->worker.shared;
	const struct job *job = m->worker.job;
	const double total_ns = (double)(job->startdelay_ns + job->ramp_time_ns + job->runtime_ns);
	struct counters c = { .clat_min_ns = UINT64_MAX };
	double by_time = 0, by_bytes = 0;

	if (m->gone)
		return 1;
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++)
		counters_add(&c, w, dir);
	if (job->runtime_ns)
		by_time = (double)(now_ns - m->start_ns) / total_ns;
	if (m->planned_bytes)
		by_bytes = (double)c.bytes / (double)m->planned_bytes;
	by_time = by_time > by_bytes ? by_time : by_bytes;
	return by_time < 1 ? by_time : 1;
}

struct span {
	uint32_t first, end;		/* members of one group */
};

static double fraction(const struct run *r, struct span g)
{
	const uint64_t now = clock_monotonic_ns();
	double sum = 0;

	for (uint32_t i = g.first; i < g.end; i++)
		sum += member_fraction(&r->crew.members[i], now);
	return (r->group + sum / (g.end - g.first)) / r->groups_count;
}

static enum status_state state_of(const struct run *r, struct span g)
{
	enum status_state state = STATUS_RAMP;

	if (stop_requested)
		return STATUS_FINISHING;
	for (uint32_t i = g.first; i < g.end; i++) {
		if (worker_measures(r->crew.members[i].worker.shared))
			state = STATUS_RUNNING;
	}
	return state;
}

static bool all_ready(struct run *r, struct span g)
{
	for (uint32_t i = g.first; i < g.end; i++) {
		struct member *m = &r->crew.members[i];

		if (atomic_load(&m->worker.shared->state) == WORKER_SETUP && !member_poll(m))
			return false;
	}
	return true;
}

static void release_group(struct run *r, struct span g)
{
	struct run_control *control = r->crew.control;
	uint32_t seen = atomic_load(&control->events);

	for (; !all_ready(r, g); seen = atomic_load(&control->events))
		futex_wait(&control->events, seen, POLL_NS);
	atomic_store(&control->go, r->crew.members[g.first].worker.group);
	futex_wake_all(&control->go);
}

static bool all_gone(struct run *r, struct span g)
{
	bool gone = true;

	for (uint32_t i = g.first; i < g.end; i++)
		gone = member_poll(&r->crew.members[i]) && gone;
	return gone;
}

/* Samples of the group's rows: the earliest time at which one more is due. */
static uint64_t sample(struct run *r, struct span g, uint64_t now)
{
	uint64_t due = now + POLL_NS;

	for (uint32_t i = g.first; i < g.end; i++) {
		const uint32_t row = r->crew.members[i].row;
		uint64_t next;

		if (i > g.first && row == r->crew.members[i - 1].row)
			continue;
		next = row_sampler_tick(&r->samplers[row], now);
		due = next < due ? next : due;
	}
	if (status_due(&r->status, now))
		status_write(&r->status, state_of(r, g), fraction(r, g));
	return due;
}

static void watch_group(struct run *r, struct span g)
{
	struct run_control *control = r->crew.control;

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

static void finish_member(struct run *r, const struct member *m)
{
	struct job_result *row = &r->result->rows[m->row];
	const struct worker_shared *w = m->worker.shared;
	const uint64_t elapsed_s = (m->end_ns - m->start_ns) / 1000000000u + 1;

	if (!row->error && w->error) {
		row->error = w->error;
		memcpy(row->error_text, w->error_text, sizeof(row->error_text));
	}
	if (!row->pid)
		row->pid = m->started ? m->process->pid : 0;
	if (!row->start_unix_ms || m->start_unix_ms < row->start_unix_ms)
		row->start_unix_ms = m->start_unix_ms;
	row->elapsed_s = elapsed_s > row->elapsed_s ? elapsed_s : row->elapsed_s;
	if (row->stats != &w->stats)
		worker_stats_merge(row->stats, &w->stats);
}

static void finish_group(struct run *r, struct span g)
{
	const uint64_t now = clock_monotonic_ns();

	for (uint32_t i = g.first; i < g.end; i++) {
		const struct member *m = &r->crew.members[i];

		if (r->result->rows[m->row].stats == &m->worker.shared->stats)
			row_sampler_finish(&r->samplers[m->row], now);
	}
	for (uint32_t i = g.first; i < g.end; i++)
		finish_member(r, &r->crew.members[i]);
}

static struct span next_group(const struct crew *c, uint32_t first)
{
	struct span g = { first, first };

	while (g.end < c->count &&
	       c->members[g.end].worker.group == c->members[first].worker.group)
		g.end++;
	return g;
}

static uint32_t count_groups(const struct crew *c)
{
	uint32_t count = 0;

	for (struct span g = next_group(c, 0); g.first < c->count; g = next_group(c, g.end))
		count++;
	return count;
}

static void run_groups(struct run *r)
{
	struct crew *c = &r->crew;

	r->groups_count = count_groups(c);
	for (struct span g = next_group(c, 0); g.first < c->count && !stop_requested;
	     g = next_group(c, g.end)) {
		crew_start(c, g.first, g.end);
		release_group(r, g);
		watch_group(r, g);
		crew_reap(c, g.first, g.end);
		finish_group(r, g);
		r->group++;
	}
	status_write(&r->status, STATUS_FINISHING, stop_requested ? 0 : 1);
}

/* Reads are per I/O where every batch is one I/O. */
static const char *clock_reads(const struct crew *c)
{
	for (uint32_t i = 0; i < c->count; i++) {
		const struct job *job = c->members[i].worker.job;

		if (job->iodepth > 1 && job->ops->depth_max > 1)
			return "per-batch";
	}
	return "per-io";
}

static void note_clock(struct run *r)
{
	r->result->clock = (struct clock_facts){
		.source = clock_source_name(), .frequency_hz = clock_state.frequency_hz,
		.error_ppm = clock_error_ppm(), .reads = clock_reads(&r->crew),
		.read_cost_ns = clock_read_cost_ns(),
	};
}

static int prepare(struct run *r, struct err *err)
{
	int ret = crew_init(&r->crew, r->jobs, r->options, err);

	if (!ret)
		ret = make_rows(r, err);
	if (!ret)
		ret = watch_all(r, err);
	if (!ret)
		ret = claim_devices(r, err);
	if (!ret)
		ret = lay_out(r, err);
	for (uint32_t i = 0; !ret && i < r->crew.count; i++)
		disk_watch_add(&r->disks, &r->crew.members[i].target);
	return ret;
}

static void measure(struct run *r)
{
	struct result *result = r->result;

	clock_calibrate();
	result->start_unix_ms = clock_unix_ms();
	disk_watch_begin(&r->disks);
	current_control = r->crew.control;
	if (stop_requested)
		run_request_stop();
	run_groups(r);
	current_control = NULL;
	disk_watch_end(&r->disks, &result->disks, &result->disks_count);
	result->end_unix_ms = clock_unix_ms();
	result->interrupted = stop_requested;
	stop_requested = 0;
	note_clock(r);
}

static void release(struct run *r)
{
	for (size_t i = 0; r->samplers && i < r->result->rows_count; i++)
		row_sampler_release(&r->samplers[i]);
	free(r->samplers);
	status_release(&r->status);
	for (uint32_t i = 0; i < r->claims_count; i++)
		close(r->claims[i]);
	free(r->claims);
	crew_release(&r->crew);
}

int run_jobs(const struct job_list *jobs, const struct run_options *options,
	     struct result *result, struct err *err)
{
	struct run r = { .jobs = jobs, .options = options, .result = result };
	struct crew *memory = calloc(1, sizeof(*memory));
	int ret;

	*result = (struct result){ .memory = memory };
	if (!memory)
		return err_set(err, -ENOMEM, "no memory");
	clock_init();
	ret = prepare(&r, err);
	if (!ret)
		measure(&r);
	*memory = r.crew;	/* the mapping outlives the run: rows point into it */
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
		crew_unmap(result->memory);
	free(result->memory);
	*result = (struct result){ 0 };
}
