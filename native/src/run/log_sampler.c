/* SPDX-License-Identifier: Apache-2.0 */
#include "run/log_sampler.h"

#include <stdlib.h>

#include "stats/clock.h"

/* As many as fio's histograms have; what lies beyond is in the last one. */
enum { COLUMNS = 29 * HISTOGRAM_BUCKETS_PER_GROUP };

static const uint64_t ms = 1000000;

static bool averages(const struct log_sampler *s)
{
	return s->logs->job->log.avg_ms;
}

static bool histograms(const struct log_sampler *s)
{
	return s->logs->job->log.hist_ms && logs_have_rows(s->logs, LOG_HIST);
}

void log_sampler_init(struct log_sampler *s, const struct logs *logs,
		      const struct worker_shared *worker)
{
	*s = (struct log_sampler){ .logs = logs, .worker = worker };
	for (int kind = 0; kind < LOG_KINDS; kind++)
		logs_text_init(logs, kind, &s->texts[kind]);
}

static uint64_t rate(uint64_t amount, uint64_t elapsed_ns)
{
	return elapsed_ns ? (uint64_t)((double)amount * 1e9 / (double)elapsed_ns + 0.5) : 0;
}

/* What the window adds up to, for each kind of log. */
static uint64_t window_value(enum log_kind kind, const struct counters *window,
			     uint64_t elapsed_ns)
{
	switch (kind) {
	case LOG_BW:
		return rate(window->bytes, elapsed_ns) / 1024;
	case LOG_IOPS:
		return rate(window->ios, elapsed_ns);
	case LOG_SLAT:
		return window->slat_sum_ns / window->ios;
	case LOG_CLAT:
		return window->clat_sum_ns / window->ios;
	default:
		return (window->slat_sum_ns + window->clat_sum_ns) / window->ios;
	}
}

static struct counters counters_now(const struct log_sampler *s, int dir)
{
	struct counters c = { .clat_min_ns = UINT64_MAX };

	counters_add(&c, s->worker, dir);
	return c;
}

/* What that kind of latency was counted into. A synchronous engine has one kind. */
static const struct histogram *histogram_of(const struct log_sampler *s, enum log_kind kind,
					    int dir)
{
	const struct dir_stats *d = &s->worker->stats.dirs[dir];

	if (kind == LOG_CLAT || engine_is_sync(s->logs->job->ops))
		return &d->clat_histogram;
	return kind == LOG_SLAT ? &d->slat_histogram : &d->lat_histogram;
}

/* The middle of the last bucket that gained anything since the last window. */
static uint64_t window_max(struct log_sampler *s, enum log_kind kind, int dir)
{
	const struct histogram *h = histogram_of(s, kind, dir);
	uint64_t *last = s->window_last[kind][dir], max = 0;

	if (!last)
		last = s->window_last[kind][dir] = calloc(HISTOGRAM_BUCKETS, sizeof(*last));
	for (uint32_t i = 0; last && i < HISTOGRAM_BUCKETS; i++) {
		const uint64_t now = counters_bucket_of(h, i);

		max = now > last[i] ? histogram_value_ns(i) : max;
		last[i] = now;
	}
	return max;
}

/* The average, the longest or both of a window; of bandwidth and IOPS it is the same. */
static void set_values(struct log_sampler *s, enum log_kind kind, uint64_t average,
		       struct log_row *row)
{
	const enum log_window window = s->logs->job->log.window;

	row->value = average;
	row->has_max = window == LOG_BOTH && kind >= LOG_SLAT;
	if (window == LOG_AVERAGE || kind < LOG_SLAT)
		return;
	row->max = window_max(s, kind, row->dir);
	row->max = row->max > average ? row->max : average;
	if (window == LOG_MAXIMUM)
		row->value = row->max;
}

static uint64_t time_ms(const struct log_sampler *s, uint64_t now_ns)
{
	return s->base_ms + (now_ns - s->begin_ns) / ms;
}

static void end_average(struct log_sampler *s, uint64_t now_ns)
{
	struct log_row row = { .time_ms = time_ms(s, now_ns) };

	for (int dir = 0; dir < DIR_DATA_COUNT; dir++) {
		const struct counters c = counters_now(s, dir), *last = &s->last[dir];
		const struct counters window = {
			.ios = c.ios - last->ios, .bytes = c.bytes - last->bytes,
			.slat_sum_ns = c.slat_sum_ns - last->slat_sum_ns,
			.clat_sum_ns = c.clat_sum_ns - last->clat_sum_ns,
		};

		row.dir = (uint8_t)dir;
		for (enum log_kind kind = 0; kind < LOG_HIST && window.ios; kind++) {
			if (!logs_have_rows(s->logs, kind))
				continue;
			set_values(s, kind, window_value(kind, &window,
							 now_ns - s->average_from_ns), &row);
			logs_row(s->logs->job, &s->texts[kind], &row);
		}
		s->last[dir] = c;
	}
	s->average_from_ns = now_ns;
}

/* What each column gained since the last window. false: nothing at all. */
static bool take_columns(struct log_sampler *s, int dir, uint64_t *columns)
{
	const struct counters c = counters_now(s, dir);
	uint64_t *last = s->buckets_last[dir], total = 0;

	if (c.clat_min_ns > c.clat_max_ns)
		return false;
	if (!last)
		last = s->buckets_last[dir] = calloc(HISTOGRAM_BUCKETS, sizeof(*last));
	for (uint32_t i = histogram_index(c.clat_min_ns);
	     last && i <= histogram_index(c.clat_max_ns); i++) {
		const uint64_t now = counters_bucket(s->worker, dir, i);

		columns[i < COLUMNS ? i : COLUMNS - 1] += now - last[i];
		total += now - last[i];
		last[i] = now;
	}
	return total;
}

static void write_columns(struct log_sampler *s, const uint64_t *columns)
{
	const uint32_t together = 1u << s->logs->job->log.hist_coarseness;
	struct log_text *t = &s->texts[LOG_HIST];

	for (uint32_t i = 0; i < COLUMNS; i += together) {
		uint64_t sum = 0;

		for (uint32_t j = 0; j < together; j++)
			sum += columns[i + j];
		log_text_word(t, ", ");
		log_text_number(t, sum);
	}
	log_text_line_end(t);
}

/* No two rows of a direction have the same time: what a last window of less than a ms
 * counted stands a ms later, so that nothing is lost. */
static void end_histogram(struct log_sampler *s, uint64_t now_ns)
{
	const uint64_t now_ms = time_ms(s, now_ns);
	const uint64_t row_ms = s->histogram_row_ms && now_ms <= s->histogram_row_ms
				? s->histogram_row_ms + 1 : now_ms;
	struct log_text *t = &s->texts[LOG_HIST];

	for (int dir = 0; dir < DIR_DATA_COUNT; dir++) {
		uint64_t columns[COLUMNS] = { 0 };

		if (!take_columns(s, dir, columns))
			continue;
		log_text_number(t, row_ms);
		log_text_word(t, ", ");
		log_text_number(t, (uint64_t)dir);
		log_text_word(t, ", ");
		log_text_number(t, s->logs->job->block.bytes[dir]);
		write_columns(s, columns);
	}
	s->histogram_row_ms = row_ms;
}

static bool find_begin(struct log_sampler *s)
{
	if (!s->begin_ns && worker_measures(s->worker)) {
		const struct job *job = s->logs->job;

		s->begin_ns = s->average_from_ns = s->worker->begin_ns;
		s->average_due_ns = averages(s) ? s->begin_ns + job->log.avg_ms * ms : UINT64_MAX;
		s->histogram_due_ns = histograms(s) ? s->begin_ns + job->log.hist_ms * ms
						    : UINT64_MAX;
		if (job->log.unix_epoch)
			s->base_ms = clock_epoch_ms(job->log.epoch_clock) -
				     (clock_monotonic_ns() - s->begin_ns) / ms;
	}
	return s->begin_ns;
}

static uint64_t next_due(uint64_t due_ns, uint64_t interval_ns, uint64_t now_ns)
{
	if (!interval_ns)	/* nothing to repeat */
		return UINT64_MAX;
	return due_ns + ((now_ns - due_ns) / interval_ns + 1) * interval_ns;
}

uint64_t log_sampler_tick(struct log_sampler *s, uint64_t now_ns)
{
	const struct job *job = s->logs->job;

	if ((!averages(s) && !histograms(s)) || !find_begin(s))
		return UINT64_MAX;
	if (now_ns >= s->average_due_ns) {
		end_average(s, now_ns);
		s->average_due_ns = next_due(s->average_due_ns, job->log.avg_ms * ms, now_ns);
	}
	if (now_ns >= s->histogram_due_ns) {
		end_histogram(s, now_ns);
		s->histogram_due_ns = next_due(s->histogram_due_ns, job->log.hist_ms * ms, now_ns);
	}
	return s->average_due_ns < s->histogram_due_ns ? s->average_due_ns : s->histogram_due_ns;
}

/* An average over less than a ms after the last row would say nothing, and repeat its time. */
static bool has_average_left(const struct log_sampler *s, uint64_t now_ns)
{
	return s->average_from_ns == s->begin_ns ||
	       time_ms(s, now_ns) > time_ms(s, s->average_from_ns);
}

int log_sampler_finish(struct log_sampler *s, struct err *err)
{
	if (find_begin(s)) {
		const uint64_t end_ns = s->begin_ns + s->worker->stats.runtime_ns;
		/* A tick may have come a little later than the end. */
		const uint64_t now_ns = end_ns > s->average_from_ns ? end_ns : s->average_from_ns;

		if (averages(s) && has_average_left(s, now_ns))
			end_average(s, now_ns);
		if (histograms(s))
			end_histogram(s, now_ns);
	}
	for (int kind = 0; kind < LOG_KINDS; kind++) {
		const int error = log_text_finish(&s->texts[kind]);

		if (error)
			return log_text_error(s->logs->job, s->logs->paths[kind], error, err);
	}
	return 0;
}

void log_sampler_release(struct log_sampler *s)
{
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++) {
		free(s->buckets_last[dir]);
		for (int kind = 0; kind < LOG_HIST; kind++)
			free(s->window_last[kind][dir]);
	}
	for (int kind = 0; kind < LOG_KINDS; kind++)
		free(s->texts[kind].text);
}
