/* SPDX-License-Identifier: Apache-2.0 */
#include "run/sampler.h"

#include <stdlib.h>
#include <string.h>

enum {
	RATE_INTERVAL_MS = 500,
	INTERVALS_MAX = 400,		/* then two become one and the interval doubles */
};

static const uint64_t ms = 1000000;

#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
/* Workers write plain 64-bit counters, which the machine reads whole: a race by the
 * letter of C only, and what a locked counter would cost is measured in every I/O. */
#define RACY __attribute__((no_sanitize("thread")))

bool worker_measures(const struct worker_shared *w)
{
	const uint32_t state = atomic_load_explicit(&w->state, memory_order_acquire);

	return state == WORKER_RUNNING || (state == WORKER_DONE && w->begin_ns);
}

RACY void counters_add(struct counters *c, const struct worker_shared *w, int dir)
{
	const struct dir_stats *d = &w->stats.dirs[dir];
	const uint64_t min = READ_ONCE(d->clat.min), max = READ_ONCE(d->clat.max);

	c->ios += READ_ONCE(d->ios);
	c->bytes += READ_ONCE(d->bytes);
	c->clat_sum_ns += READ_ONCE(d->clat.sum);
	c->slat_sum_ns += READ_ONCE(d->slat.sum);
	c->clat_min_ns = min < c->clat_min_ns ? min : c->clat_min_ns;
	c->clat_max_ns = max > c->clat_max_ns ? max : c->clat_max_ns;
}

RACY uint64_t counters_bucket(const struct worker_shared *w, int dir, uint32_t index)
{
	return READ_ONCE(w->stats.dirs[dir].clat_histogram.buckets[index]);
}

RACY uint64_t counters_bucket_of(const struct histogram *h, uint32_t index)
{
	return READ_ONCE(h->buckets[index]);
}

static struct counters row_counters(const struct row_sampler *s, int dir)
{
	struct counters c = { .clat_min_ns = UINT64_MAX };

	for (uint32_t i = 0; i < s->workers_count; i++) {
		if (worker_measures(s->workers[i]))
			counters_add(&c, s->workers[i], dir);
	}
	return c;
}

/* An amount a second; 128 bits, as bytes * 10^6 are too many for 64 from 18 TB on. */
static uint64_t per_second(uint64_t amount, uint64_t elapsed_us)
{
	return (uint64_t)((unsigned __int128)amount * 1000000 / elapsed_us);
}

static void rate_sample(struct row_sampler *s, struct rate_clock *clock, uint64_t now_ns)
{
	const uint64_t elapsed_us = (now_ns - clock->from_ns) / 1000;
	uint64_t all = 0;

	if (s->row->job->report.disable_bw || s->row->job->report.gtod_reduce || !elapsed_us)
		return;
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++) {
		const struct counters c = row_counters(s, dir);
		const struct counters *last = &clock->last[dir];
		struct rate_samples *r = &s->row->rates[dir];
		const uint64_t bw = per_second(c.bytes - last->bytes, elapsed_us) / 1024;
		const uint64_t iops = per_second(c.ios - last->ios, elapsed_us);

		if (c.ios)
			moments_add(clock == &s->bw ? &r->bw_kib : &r->iops,
				    clock == &s->bw ? bw : iops);
		all += clock == &s->bw ? bw : iops;
		clock->last[dir] = c;
	}
	moments_add(clock == &s->bw ? &s->row->mixed_rates.bw_kib : &s->row->mixed_rates.iops, all);
	clock->from_ns = now_ns;
}

/* bwavgtime, or less where a log is averaged over less. */
static uint64_t rate_interval_ns(const struct row_sampler *s, const struct rate_clock *clock)
{
	const struct job *job = s->row->job;
	const bool bw = clock == &s->bw;
	uint32_t asked = bw ? job->report.bw_avg_ms : job->report.iops_avg_ms;

	asked = asked ? asked : RATE_INTERVAL_MS;
	if ((bw ? job->log.bw : job->log.iops) && job->log.avg_ms && job->log.avg_ms < asked)
		asked = job->log.avg_ms;
	return asked * ms;
}

/* Room for one more element: 0, or -1 without memory (then samples stop, no more). */
static int grow(void **array, uint32_t *capacity, uint32_t count, size_t element)
{
	void *larger;

	if (count < *capacity)
		return 0;
	larger = realloc(*array, element * (*capacity ? 2u * *capacity : 64));
	if (!larger)
		return -1;
	*array = larger;
	*capacity = *capacity ? 2 * *capacity : 64;
	return 0;
}

static void add_bin(struct row_sampler *s, uint32_t index, uint64_t count)
{
	struct series *series = &s->row->series;

	if (grow((void **)&series->bins, &s->bins_capacity, series->bins_total,
		 sizeof(*series->bins)))
		return;
	series->bins[series->bins_total++] = (struct series_bin){ index, (uint32_t)count };
}

static uint64_t row_bucket(const struct row_sampler *s, int dir, uint32_t index)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < s->workers_count; i++) {
		const struct worker_shared *w = s->workers[i];

		/* Not to touch pages of histograms that were never used. */
		if (worker_measures(w) && w->stats.dirs[dir].ios)
			total += counters_bucket(w, dir, index);
	}
	return total;
}

static void add_bins(struct row_sampler *s, struct interval *interval, int dir,
		     const struct counters *c)
{
	interval->bins_at[dir] = s->row->series.bins_total;
	if (c->clat_min_ns > c->clat_max_ns)
		return;
	if (!s->buckets_last[dir])
		s->buckets_last[dir] = calloc(HISTOGRAM_BUCKETS, sizeof(uint64_t));
	for (uint32_t i = histogram_index(c->clat_min_ns);
	     s->buckets_last[dir] && i <= histogram_index(c->clat_max_ns); i++) {
		const uint64_t total = row_bucket(s, dir, i);

		if (total > s->buckets_last[dir][i])
			add_bin(s, i, total - s->buckets_last[dir][i]);
		s->buckets_last[dir][i] = total;
	}
	interval->bins_count[dir] = s->row->series.bins_total - interval->bins_at[dir];
}

/* Bins of two neighbours, both ascending, appended as one. */
static void merge_bins(const struct series *s, const struct interval *a,
		       const struct interval *b, int dir, struct series_bin *out, uint32_t *n)
{
	uint32_t i = a->bins_at[dir], j = b->bins_at[dir];
	const uint32_t i_end = i + a->bins_count[dir], j_end = j + b->bins_count[dir];
	const uint32_t start = *n;

	while (i < i_end || j < j_end) {
		const bool first = j == j_end ||
				   (i < i_end && s->bins[i].index <= s->bins[j].index);
		const struct series_bin *bin = first ? &s->bins[i++] : &s->bins[j++];

		if (!first && *n > start && out[*n - 1].index == bin->index)
			out[*n - 1].count += bin->count;
		else
			out[(*n)++] = *bin;
	}
}

static void merge_pair(const struct series *s, uint32_t at, struct interval *into,
		       struct series_bin *bins, uint32_t *n)
{
	const struct interval *a = &s->intervals[at], *b = &s->intervals[at + 1];

	*into = (struct interval){ .end_ms = b->end_ms };
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++) {
		into->ios[dir] = a->ios[dir] + b->ios[dir];
		into->bytes[dir] = a->bytes[dir] + b->bytes[dir];
		into->clat_sum_ns[dir] = a->clat_sum_ns[dir] + b->clat_sum_ns[dir];
		into->bins_at[dir] = *n;
		merge_bins(s, a, b, dir, bins, n);
		into->bins_count[dir] = *n - into->bins_at[dir];
	}
}

/* A long run keeps a bounded number of intervals: twice as wide, half as many. */
static void halve(struct row_sampler *s)
{
	struct series *series = &s->row->series;
	struct series_bin *bins = malloc(((size_t)series->bins_total + 1) * sizeof(*bins));
	uint32_t n = 0;

	if (!bins)
		return;
	for (uint32_t i = 0; i + 1 < series->intervals_count; i += 2) {
		struct interval merged;

		merge_pair(series, i, &merged, bins, &n);
		series->intervals[i / 2] = merged;
	}
	free(series->bins);
	series->bins = bins;
	s->bins_capacity = series->bins_total + 1;
	series->bins_total = n;
	series->intervals_count /= 2;
	series->interval_ms *= 2;
}

static void series_sample(struct row_sampler *s, uint64_t now_ns)
{
	struct series *series = &s->row->series;
	struct interval interval = { .end_ms = (now_ns - s->begin_ns) / ms };

	if (series->intervals_count >= INTERVALS_MAX)
		halve(s);
	if (grow((void **)&series->intervals, &s->intervals_capacity, series->intervals_count,
		 sizeof(interval)))
		return;
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++) {
		const struct counters c = row_counters(s, dir);
		const struct counters *last = &s->series_last[dir];

		interval.ios[dir] = c.ios - last->ios;
		interval.bytes[dir] = c.bytes - last->bytes;
		interval.clat_sum_ns[dir] = c.clat_sum_ns - last->clat_sum_ns;
		add_bins(s, &interval, dir, &c);
		s->series_last[dir] = c;
	}
	series->intervals[series->intervals_count++] = interval;
}

/* All workers of a row start together; the first one's clock is the row's. */
static void find_begin(struct row_sampler *s)
{
	for (uint32_t i = 0; i < s->workers_count; i++) {
		const struct worker_shared *w = s->workers[i];

		if (worker_measures(w) && (!s->begin_ns || w->begin_ns < s->begin_ns))
			s->begin_ns = w->begin_ns;
	}
	s->bw.from_ns = s->iops.from_ns = s->begin_ns;
	s->bw.due_ns = s->begin_ns + rate_interval_ns(s, &s->bw);
	s->iops.due_ns = s->begin_ns + rate_interval_ns(s, &s->iops);
	s->series_due_ns = s->begin_ns + s->row->series.interval_ms * ms;
}

static void advance(uint64_t *due_ns, uint64_t interval_ns, uint64_t now_ns)
{
	while (*due_ns <= now_ns)
		*due_ns += interval_ns;
}

static void tick_rate(struct row_sampler *s, struct rate_clock *clock, uint64_t now_ns)
{
	if (now_ns < clock->due_ns)
		return;
	rate_sample(s, clock, now_ns);
	advance(&clock->due_ns, rate_interval_ns(s, clock), now_ns);
}

uint64_t row_sampler_tick(struct row_sampler *s, uint64_t now_ns)
{
	if (!s->begin_ns)
		find_begin(s);
	if (!s->begin_ns)
		return UINT64_MAX;
	tick_rate(s, &s->bw, now_ns);
	tick_rate(s, &s->iops, now_ns);
	if (now_ns >= s->series_due_ns) {
		series_sample(s, now_ns);
		advance(&s->series_due_ns, s->row->series.interval_ms * ms, now_ns);
	}
	const uint64_t rate_due_ns = s->bw.due_ns < s->iops.due_ns ? s->bw.due_ns : s->iops.due_ns;

	return rate_due_ns < s->series_due_ns ? rate_due_ns : s->series_due_ns;
}

/* When the last worker ended: what it did afterwards, as writing logs, is not measured. */
static uint64_t end_ns(const struct row_sampler *s, uint64_t now_ns)
{
	uint64_t end = s->begin_ns;

	for (uint32_t i = 0; i < s->workers_count; i++) {
		const struct worker_shared *w = s->workers[i];
		const uint64_t ended = w->begin_ns + w->stats.runtime_ns;

		if (worker_measures(w) && ended > end)
			end = ended;
	}
	return end < now_ns ? end : now_ns;
}

/* The last interval becomes a part of the one before. */
static void absorb_last(struct series *series)
{
	const uint32_t at = series->intervals_count - 2;
	const uint32_t from = series->intervals[at].bins_at[0];
	struct series_bin *bins = malloc((series->bins_total - from + 1u) * sizeof(*bins));
	struct interval merged;
	uint32_t n = 0;

	if (!bins)
		return;
	merge_pair(series, at, &merged, bins, &n);
	if (n)
		memcpy(&series->bins[from], bins, n * sizeof(*bins));
	free(bins);
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++)
		merged.bins_at[dir] += from;
	series->bins_total = from + n;
	series->intervals[at] = merged;
	series->intervals_count--;
}

/* What is left after the last full interval. A few ms alone would say nothing of a rate:
 * they belong to the interval before. */
static void last_sample(struct row_sampler *s, uint64_t now_ns)
{
	struct series *series = &s->row->series;
	const uint32_t full = series->intervals_count;
	const uint64_t seen_ms = full ? series->intervals[full - 1].end_ms : 0;
	const uint64_t seen_ns = s->begin_ns + seen_ms * ms, end = end_ns(s, now_ns);

	series_sample(s, end > seen_ns ? end : seen_ns);
	if (series->intervals_count > full && full &&
	    series->intervals[full].end_ms < seen_ms + series->interval_ms / 2)
		absorb_last(series);
}

void rate_samples_settle(struct rate_samples *r)
{
	r->bw_mean = moments_mean(&r->bw_kib);
	r->bw_stddev = moments_stddev(&r->bw_kib);
	r->iops_mean = moments_mean(&r->iops);
	r->iops_stddev = moments_stddev(&r->iops);
}

void row_sampler_finish(struct row_sampler *s, uint64_t now_ns)
{
	if (!s->begin_ns)
		find_begin(s);
	if (!s->begin_ns)
		return;
	last_sample(s, now_ns);
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++)
		rate_samples_settle(&s->row->rates[dir]);
	rate_samples_settle(&s->row->mixed_rates);
}

void row_sampler_release(struct row_sampler *s)
{
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++)
		free(s->buckets_last[dir]);
	free(s->workers);
}
