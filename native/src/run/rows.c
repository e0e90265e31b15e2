/* SPDX-License-Identifier: Apache-2.0 */
#include "run/rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/clock.h"

static bool same_row(const struct job *a, const struct job *b)
{
	return a->report.group_reporting && b->report.group_reporting && a->group_id == b->group_id;
}

/* The row of an earlier member of the same group, or a new one. */
static uint32_t row_of(const struct workers *workers, uint32_t i, uint32_t rows_count)
{
	const struct job *job = workers->members[i].worker.job;

	for (uint32_t j = 0; job->report.group_reporting && j < i; j++) {
		if (same_row(workers->members[j].worker.job, job))
			return workers->members[j].row;
	}
	return rows_count;
}

/* Also what was sampled so far. */
static void forget_bandwidths(struct rate_samples *r)
{
	moments_init(&r->bw_kib);
	r->bw_mean = r->bw_stddev = 0;
}

static void forget_iops(struct rate_samples *r)
{
	moments_init(&r->iops);
	r->iops_mean = r->iops_stddev = 0;
}

static void samples_init(struct job_result *row, bool bandwidths, bool iops)
{
	for (int dir = 0; dir <= DIR_DATA_COUNT; dir++) {
		struct rate_samples *r = dir < DIR_DATA_COUNT ? &row->rates[dir]
							      : &row->mixed_rates;

		if (bandwidths)
			forget_bandwidths(r);
		if (iops)
			forget_iops(r);
	}
}

static void row_init(struct job_result *row, const struct member *m, uint32_t interval_ms)
{
	*row = (struct job_result){
		.job = m->worker.job, .clone = m->clone, .group_id = m->worker.job->group_id,
		.stats = &m->worker.shared->stats, .series = { .interval_ms = interval_ms },
	};
	samples_init(row, true, true);
}

static int allocate(struct rows *r, struct workers *workers, struct err *err)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < workers->count; i++) {
		workers->members[i].row = row_of(workers, i, count);
		count += workers->members[i].row == count;
	}
	r->result->rows = calloc(count + 1, sizeof(*r->result->rows));
	r->samplers = calloc(count + 1, sizeof(*r->samplers));
	r->steady = calloc(count + 1, sizeof(*r->steady));
	if (!r->result->rows || !r->samplers || !r->steady)
		return err_set(err, -ENOMEM, "no memory for the results of %u jobs",
			       workers->count);
	r->result->rows_count = count;
	return 0;
}

static int add_worker(struct row_sampler *s, struct worker_shared *w, struct err *err)
{
	struct worker_shared **larger = realloc(s->workers, (s->workers_count + 1) *
						      sizeof(*larger));

	if (!larger)
		return err_set(err, -ENOMEM, "no memory for %u jobs", s->workers_count + 1);
	s->workers = larger;
	s->workers[s->workers_count++] = w;
	return 0;
}

int rows_init(struct rows *r, struct result *result, struct workers *workers, uint32_t interval_ms,
	      struct err *err)
{
	int ret;

	*r = (struct rows){ .result = result };
	ret = allocate(r, workers, err);
	for (uint32_t i = 0; !ret && i < workers->count; i++) {
		const struct member *m = &workers->members[i];
		struct job_result *row = &result->rows[m->row];

		if (!row->jobs_count)
			row_init(row, m, interval_ms);
		row->jobs_count++;
		r->samplers[m->row].row = row;
		ret = add_worker(&r->samplers[m->row], m->worker.shared, err);
	}
	for (uint32_t i = 0; !ret && i < result->rows_count; i++) {
		if (steady_init(&r->steady[i], &r->samplers[i], &result->rows[i]))
			ret = err_set(err, -ENOMEM, "no memory for the steady state of jobs");
	}
	return ret;
}

void rows_release(struct rows *r)
{
	for (size_t i = 0; r->samplers && i < r->result->rows_count; i++)
		row_sampler_release(&r->samplers[i]);
	free(r->samplers);
	free(r->steady);
	r->samplers = NULL;
	r->steady = NULL;
}

/* The first member of a row stands for it, so that each is looked at once. */
static bool leads(const struct rows *r, const struct member *m)
{
	return r->result->rows[m->row].stats == &m->worker.shared->stats;
}

uint64_t rows_sample(struct rows *r, const struct workers *workers, uint32_t first, uint32_t end,
		     uint64_t now_ns)
{
	uint64_t due = UINT64_MAX;

	for (uint32_t i = first; i < end; i++) {
		const struct member *m = &workers->members[i];
		uint64_t next;

		if (!leads(r, m))
			continue;
		next = row_sampler_tick(&r->samplers[m->row], now_ns);
		due = next < due ? next : due;
		next = steady_tick(&r->steady[m->row], now_ns);
		due = next < due ? next : due;
	}
	return due;
}

/* As fio rounds: a job of half a second took 1. */
static uint64_t elapsed_s(const struct member *m, uint64_t now_ns)
{
	if (!m->start_ns)
		return 0;
	return ((m->gone ? m->end_ns : now_ns) - m->start_ns) / 1000000000u + 1;
}

/* What was measured all the same, and was not asked for. Not before the last samples are
 * taken: these are differences of what is forgotten here. */
void rows_leave_out(struct worker_stats *s, const struct job *job)
{
	for (int i = 0; i < DIR_DATA_COUNT; i++) {
		if (job->report.disable_slat || job->report.gtod_reduce)
			moments_init(&s->dirs[i].slat);
		if (job->report.disable_lat || job->report.gtod_reduce)
			moments_init(&s->dirs[i].lat);
		if (job->report.disable_clat || job->report.gtod_reduce)
			dir_stats_forget_clat(&s->dirs[i]);
	}
}

void rows_settle_rates(struct job_result *row)
{
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++)
		rate_samples_settle(&row->rates[dir]);
	rate_samples_settle(&row->mixed_rates);
}

void rows_note_member(struct job_result *row, const struct member *m, uint64_t now_ns)
{
	const struct worker_shared *w = m->worker.shared;
	const uint64_t seconds = elapsed_s(m, now_ns);

	if (!row->error && w->error) {
		row->error = w->error;
		memcpy(row->error_text, w->error_text, sizeof(row->error_text));
	}
	row->latency_depth = row->latency_depth ? row->latency_depth : w->latency_depth;
	if (!row->passed_error)
		row->passed_error = w->passed_error;
	row->refused = row->refused || w->refused;
	if (!row->pid)
		row->pid = m->started ? m->process->pid : 0;
	if (!row->start_unix_ms || (m->start_ns && m->start_unix_ms < row->start_unix_ms))
		row->start_unix_ms = m->start_unix_ms;
	row->elapsed_s = seconds > row->elapsed_s ? seconds : row->elapsed_s;
}

static void finish_member(struct rows *r, const struct member *m)
{
	struct job_result *row = &r->result->rows[m->row];
	struct worker_shared *w = m->worker.shared;

	rows_note_member(row, m, m->end_ns);
	rows_leave_out(&w->stats, m->worker.job);
	if (!leads(r, m)) {
		worker_stats_merge(row->stats, &w->stats);
		worker_stats_init(&w->stats);	/* who adds up all workers counts it once */
	}
}

/* Instead of what was seen at some looks. */
static void forget_looks(struct job_result *row, const struct worker_shared *w)
{
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++) {
		if (w->logged[dir].bw_kib.n)
			samples_init(row, true, false);
		if (w->logged[dir].iops.n)
			samples_init(row, false, true);
	}
}

/* Jobs, and directions, beside each other are added up, as fio does. */
static void add_samples(struct moments *into, double *mean, double *stddev,
			const struct moments *m)
{
	const double one = moments_stddev(m);
	const double squares = *stddev * *stddev * (into->n ? (double)into->n - 1 : 0) +
			       one * one * (m->n ? (double)m->n - 1 : 0);

	if (!m->n)
		return;
	into->min = into->n ? into->min + m->min : m->min;
	into->max += m->max;
	into->n += m->n;
	*mean += moments_mean(m);
	*stddev = into->n > 1 ? sqrt(squares / ((double)into->n - 1)) : 0;
}

static void add_logged(struct rate_samples *into, const struct rate_samples *logged)
{
	add_samples(&into->bw_kib, &into->bw_mean, &into->bw_stddev, &logged->bw_kib);
	add_samples(&into->iops, &into->iops_mean, &into->iops_stddev, &logged->iops);
}

/* Logs of each I/O have a sample of each. */
static void take_logged(struct rows *r, const struct workers *workers, uint32_t first,
			uint32_t end)
{
	for (uint32_t i = first; i < end; i++) {
		const struct member *m = &workers->members[i];

		forget_looks(&r->result->rows[m->row], m->worker.shared);
	}
	for (uint32_t i = first; i < end; i++) {
		const struct member *m = &workers->members[i];
		struct job_result *row = &r->result->rows[m->row];

		for (int dir = 0; dir < DIR_DATA_COUNT; dir++) {
			add_logged(&row->rates[dir], &m->worker.shared->logged[dir]);
			add_logged(&row->mixed_rates, &m->worker.shared->logged[dir]);
		}
	}
}

/* Samples first: merging changes the counters that they look at. */
void rows_finish(struct rows *r, const struct workers *workers, uint32_t first, uint32_t end)
{
	const uint64_t now = clock_monotonic_ns();

	for (uint32_t i = first; i < end; i++) {
		if (leads(r, &workers->members[i]))
			row_sampler_finish(&r->samplers[workers->members[i].row], now);
	}
	take_logged(r, workers, first, end);
	for (uint32_t i = first; i < end; i++)
		finish_member(r, &workers->members[i]);
}
