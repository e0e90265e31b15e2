/* SPDX-License-Identifier: Apache-2.0 */
#include "run/steady.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct steady_criterion *criterion(const struct steady *s)
{
	return &s->row->row->job->steady.criterion;
}

static uint64_t interval_ns(const struct job *job)
{
	return job->steady.interval_ns ? job->steady.interval_ns : 1000000000u;
}

int steady_init(struct steady *s, const struct row_sampler *row, struct job_result *result)
{
	const struct job *job = result->job;
	struct steady_state *state;

	*s = (struct steady){ .row = row };
	if (!job->steady.duration_ns)
		return 0;
	state = calloc(1, sizeof(*state));
	if (!state)
		return -ENOMEM;
	s->state = result->steady = state;
	state->capacity = (uint32_t)(job->steady.duration_ns / interval_ns(job));
	state->capacity = state->capacity ? state->capacity : 1;
	state->values = calloc(state->capacity, sizeof(*state->values));
	return state->values ? 0 : -ENOMEM;
}

static struct counters counters_of(const struct steady *s)
{
	struct counters c = { .clat_min_ns = UINT64_MAX };

	for (uint32_t i = 0; i < s->row->workers_count; i++) {
		for (int dir = 0; dir < DIR_DATA_COUNT; dir++)
			counters_add(&c, s->row->workers[i], dir);
	}
	return c;
}

/* One more interval; the oldest makes room. */
static void add_value(struct steady *s, uint64_t now_ns)
{
	struct steady_state *state = s->state;
	const struct counters c = counters_of(s);
	const double seconds = (double)(now_ns - s->from_ns) / 1e9;
	const uint64_t ios = c.ios - s->last.ios;
	const uint64_t lat_ns = c.clat_sum_ns - s->last.clat_sum_ns + c.slat_sum_ns -
				s->last.slat_sum_ns;

	if (state->count == state->capacity)
		memmove(state->values, state->values + 1,
			--state->count * sizeof(*state->values));
	state->values[state->count++] = (struct steady_value){
		.iops = (double)ios / seconds,
		.bw_bytes = (double)(c.bytes - s->last.bytes) / seconds,
		.lat_ns = ios ? (double)lat_ns / (double)ios : 0,
	};
	s->last = c;
	s->from_ns = now_ns;
}

static double value_at(const struct steady *s, uint32_t i)
{
	const struct steady_value *v = &s->state->values[i];

	switch (criterion(s)->kind) {
	case STEADY_BW:
		return v->bw_bytes;
	case STEADY_LAT:
		return v->lat_ns;
	default:
		return v->iops;
	}
}

static double mean_of(const struct steady *s)
{
	double sum = 0;

	for (uint32_t i = 0; i < s->state->count; i++)
		sum += value_at(s, i);
	return sum / s->state->count;
}

/* By least squares, an interval. */
static double slope_of(const struct steady *s, double mean)
{
	const double middle = (s->state->count - 1) / 2.0;
	double products = 0, squares = 0;

	for (uint32_t i = 0; i < s->state->count; i++) {
		products += (i - middle) * (value_at(s, i) - mean);
		squares += (i - middle) * (i - middle);
	}
	return squares > 0 ? products / squares : 0;
}

static double deviation_of(const struct steady *s, double mean)
{
	double most = 0;

	for (uint32_t i = 0; i < s->state->count; i++)
		most = fmax(most, fabs(value_at(s, i) - mean));
	return most;
}

/* Whether the full window is as steady as is asked for. */
static bool look(const struct steady *s)
{
	const struct steady_criterion *asked = criterion(s);
	struct steady_state *state = s->state;
	const double mean = mean_of(s);

	if (asked->slope)
		state->slope = slope_of(s, mean);
	else
		state->max_deviation = deviation_of(s, mean);
	state->criterion = asked->slope ? fabs(state->slope) : state->max_deviation;
	if (asked->percent)
		state->criterion = mean > 0 ? state->criterion * 100 / mean : 0;
	return mean > 0 && state->criterion <= asked->limit;
}

static void stop_workers(const struct steady *s)
{
	for (uint32_t i = 0; i < s->row->workers_count; i++) {
		atomic_store(&s->row->workers[i]->stop, 1);
		futex_wake_all(&s->row->workers[i]->stop);
	}
}

static void begin(struct steady *s)
{
	const struct job *job = s->row->row->job;

	s->begin_ns = s->from_ns = s->row->begin_ns + job->steady.ramp_ns;
	s->due_ns = s->begin_ns + interval_ns(job);
}

uint64_t steady_tick(struct steady *s, uint64_t now_ns)
{
	if (!s->state || s->state->attained || !s->row->begin_ns)
		return UINT64_MAX;
	if (!s->begin_ns)
		begin(s);
	if (now_ns < s->begin_ns || !s->last.ios) {	/* in its ramp, or at its very beginning */
		s->last = counters_of(s);
		s->from_ns = now_ns > s->begin_ns ? now_ns : s->begin_ns;
	}
	if (now_ns < s->due_ns)
		return now_ns < s->begin_ns ? s->begin_ns : s->due_ns;
	if (now_ns > s->from_ns)
		add_value(s, now_ns);
	while (s->due_ns <= now_ns)
		s->due_ns += interval_ns(s->row->row->job);
	s->state->attained = s->state->count == s->state->capacity && look(s);
	if (s->state->attained)
		stop_workers(s);
	return s->due_ns;
}

void steady_release(struct job_result *result)
{
	if (result->steady)
		free(result->steady->values);
	free(result->steady);
	result->steady = NULL;
}
