/* SPDX-License-Identifier: Apache-2.0 */
#include "output/report.h"

#include <stdlib.h>
#include <string.h>

static const struct percentile_list default_percentiles = {
	{ 1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99 }, 17,
};

const struct percentile_list *report_percentiles(const struct job *job)
{
	return job->report.percentiles.count ? &job->report.percentiles : &default_percentiles;
}

const char *const report_depth_labels[STATS_DEPTH_LEVELS] = {
	"1", "2", "4", "8", "16", "32", ">=64",
};

const char *const report_batch_labels[STATS_DEPTH_LEVELS] = {
	"0", "4", "8", "16", "32", "64", ">=64",
};

const char *const report_class_labels[REPORT_CLASSES_MS] = {
	"2", "4", "10", "20", "50", "100", "250", "500", "750", "1000", "2000", ">=2000",
};

static const uint64_t class_limits[REPORT_CLASSES + 1] = {
	2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000,
};

struct dir_stats *report_mixed(const struct job_result *row)
{
	struct dir_stats *all = calloc(1, sizeof(*all));

	if (!all)
		return NULL;
	moments_init(&all->slat);
	moments_init(&all->clat);
	moments_init(&all->lat);
	moments_init(&all->intended);
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++)
		dir_stats_merge(all, &row->stats->dirs[dir]);
	return all;
}

uint32_t report_latency_depth(const struct job_result *row)
{
	return row->latency_depth ? row->latency_depth : row->job->depth.iodepth;
}

int report_error(const struct job_result *row)
{
	return row->error ? row->error : row->passed_error;
}

uint64_t report_errors(const struct worker_stats *s)
{
	uint64_t total = 0;

	for (int i = 0; i < STATS_ERRNO_MAX; i++)
		total += s->errors[i].count;
	return total;
}

bool report_passes_errors(const struct job *job)
{
	bool passes = job->errors.continue_on;

	for (int kind = 0; kind < ERROR_KINDS; kind++)
		passes = passes || job->errors.ignore[kind].count;
	return passes;
}

double report_iops(const struct dir_stats *d)
{
	return d->runtime_ns ? (double)d->ios * 1e9 / (double)d->runtime_ns : 0;
}

uint64_t report_bw_bytes(const struct dir_stats *d)
{
	return d->runtime_ns ? (uint64_t)((double)d->bytes * 1e9 / (double)d->runtime_ns) : 0;
}

uint64_t report_runtime_ms(uint64_t runtime_ns)
{
	const uint64_t ms = (runtime_ns + 500000) / 1000000;

	return runtime_ns && !ms ? 1 : ms;
}

double report_percent(uint64_t part, uint64_t whole)
{
	return whole ? (double)part * 100 / (double)whole : 0;
}

double report_share_of_group(const struct rate_samples *r, uint64_t group_bw_bytes)
{
	const double share = group_bw_bytes ? r->bw_mean * 102400 / (double)group_bw_bytes : 0;

	return share < 100 ? share : 100;
}

double report_cpu_percent(const struct job_result *row, uint64_t cpu_ns)
{
	return report_percent(cpu_ns, row->stats->all_runtimes_ns);
}

/* A latency class holds what is at most its limit; a histogram bucket counts where
 * its middle lies, so a class is exact to the bucket's 1/128. */
static double *find_class(struct latency_classes *c, uint64_t value_ns)
{
	double *const units[] = { c->ns, c->us, c->ms };
	uint64_t value = value_ns;

	for (int unit = 0; unit < 3; unit++) {
		for (int i = 0; i < REPORT_CLASSES; i++) {
			if (value <= class_limits[i])
				return &units[unit][i];
		}
		if (unit < 2)
			value = (value + 999) / 1000;
	}
	return &c->ms[value <= class_limits[REPORT_CLASSES] ? REPORT_CLASSES : REPORT_CLASSES + 1];
}

void report_latency_percentiles(const struct histogram *h, const struct moments *m,
				const struct percentile_list *list, uint64_t *values_ns)
{
	histogram_percentiles(h, list->percents, list->count, values_ns);
	for (uint32_t i = 0; i < list->count && m->min <= m->max; i++) {
		values_ns[i] = values_ns[i] < m->min ? m->min : values_ns[i];
		values_ns[i] = values_ns[i] > m->max ? m->max : values_ns[i];
	}
}

void report_latency_classes(const struct worker_stats *s, struct latency_classes *c)
{
	uint64_t total = 0;

	memset(c, 0, sizeof(*c));
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++)
		total += s->dirs[dir].clat.n;
	if (!total)
		return;
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++) {
		if (!s->dirs[dir].clat.n)
			continue;
		for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
			const uint64_t n = s->dirs[dir].clat_histogram.buckets[i];

			if (n)
				*find_class(c, histogram_value_ns(i)) += report_percent(n, total);
		}
	}
}

/* What of one direction, or of all, a group adds up. */
struct amount {
	uint64_t bytes, runtime_ns;
};

static struct amount totals(const struct worker_stats *s, unsigned dir)
{
	struct amount a = { 0, 0 };

	for (unsigned each = 0; each < DIR_DATA_COUNT; each++) {
		const struct dir_stats *d = &s->dirs[each];

		if (dir != each && dir != DIR_DATA_COUNT)
			continue;
		a.bytes += d->bytes;
		a.runtime_ns = d->runtime_ns > a.runtime_ns ? d->runtime_ns : a.runtime_ns;
	}
	return a;
}

static uint64_t per_second(uint64_t bytes, uint64_t runtime_ns)
{
	return runtime_ns ? (uint64_t)((double)bytes * 1e9 / (double)runtime_ns) : 0;
}

static void group_add(struct group_total *t, const struct amount *d)
{
	const uint64_t bw = per_second(d->bytes, d->runtime_ns);
	const uint64_t ms = report_runtime_ms(d->runtime_ns);

	t->bw_min = !t->bytes || bw < t->bw_min ? bw : t->bw_min;
	t->bw_max = bw > t->bw_max ? bw : t->bw_max;
	t->runtime_min_ms = !t->bytes || ms < t->runtime_min_ms ? ms : t->runtime_min_ms;
	t->runtime_max_ms = ms > t->runtime_max_ms ? ms : t->runtime_max_ms;
	t->bytes += d->bytes;
}

void report_group_total(const struct result *r, uint32_t group_id, enum io_dir dir,
			struct group_total *t)
{
	uint64_t longest_ns = 0;

	memset(t, 0, sizeof(*t));
	for (size_t i = 0; i < r->rows_count; i++) {
		const struct amount d = totals(r->rows[i].stats, dir);

		if (r->rows[i].group_id != group_id || !d.bytes || !r->rows[i].job->report.stats)
			continue;
		group_add(t, &d);
		longest_ns = d.runtime_ns > longest_ns ? d.runtime_ns : longest_ns;
	}
	if (longest_ns)
		t->bw_bytes = (uint64_t)((double)t->bytes * 1e9 / (double)longest_ns);
}

double report_steady_mean(const struct steady_state *s, size_t offset)
{
	double sum = 0;

	for (uint32_t i = 0; i < s->count; i++)
		sum += *(const double *)(const void *)((const char *)&s->values[i] + offset);
	return s->count ? sum / s->count : 0;
}
