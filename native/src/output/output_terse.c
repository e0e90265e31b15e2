/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>

#include "output/output.h"
#include "output/report.h"
#include "util/version.h"

/* Fields as fio's documentation lists them, under "Terse output". */
enum { TERSE_PERCENTILES = 20, TERSE_TRIMS_NOT = 3, TERSE_NAMED = 3, TERSE_SAMPLES = 5 };

struct terse {
	FILE *out;
	int version;
	const struct result *result;
	const struct job_result *row;
};

static void print_moments(const struct terse *t, const struct moments *m)
{
	fprintf(t->out, ";%" PRIu64 ";%" PRIu64 ";%f;%f", m->n ? m->min / 1000 : 0, m->max / 1000,
		moments_mean(m) / 1000, moments_stddev(m) / 1000);
}

/* Of completion latencies, or of total ones where only these have percentiles. */
static void print_percentiles(const struct terse *t, const struct dir_stats *d)
{
	const struct job *job = t->row->job;
	const struct percentile_list *list = report_percentiles(job);
	const bool clat = job->report.clat_percentiles;
	const struct moments *m = clat ? &d->clat : &d->lat;
	uint64_t values_ns[PERCENTILES_MAX] = { 0 };
	size_t count = clat || job->report.lat_percentiles ? list->count : 0;

	if (job->report.gtod_reduce || (clat && job->report.disable_clat))
		count = 0;
	if (count && m->n)
		report_latency_percentiles(clat ? &d->clat_histogram : &d->lat_histogram, m, list,
					   values_ns);
	for (size_t i = 0; i < TERSE_PERCENTILES; i++) {
		if (i < count)
			fprintf(t->out, ";%f%%=%" PRIu64, list->percents[i], values_ns[i] / 1000);
		else
			fputs(";0%=0", t->out);
	}
}

static void print_samples(const struct terse *t, const struct rate_samples *r, enum io_dir dir)
{
	struct group_total group;

	report_group_total(t->result, t->row->group_id, dir, &group);
	fprintf(t->out, ";%" PRIu64 ";%" PRIu64 ";%f%%;%f;%f", r->bw_kib.n ? r->bw_kib.min : 0,
		r->bw_kib.max, report_share_of_group(r, group.bw_bytes), r->bw_mean, r->bw_stddev);
	if (t->version >= TERSE_SAMPLES)
		fprintf(t->out, ";%" PRIu64 ";%" PRIu64 ";%" PRIu64 ";%f;%f;%" PRIu64,
			r->bw_kib.n, r->iops.n ? r->iops.min : 0, r->iops.max, r->iops_mean,
			r->iops_stddev, r->iops.n);
}

static void print_side(const struct terse *t, const struct dir_stats *d,
		       const struct rate_samples *r, enum io_dir dir)
{
	fprintf(t->out, ";%" PRIu64 ";%" PRIu64 ";%.0f;%" PRIu64, d->bytes >> 10,
		report_bw_bytes(d) >> 10, report_iops(d), report_runtime_ms(d->runtime_ns));
	print_moments(t, &d->slat);
	print_moments(t, &d->clat);
	print_percentiles(t, d);
	print_moments(t, &d->lat);
	print_samples(t, r, dir);
}

static void print_mixed(const struct terse *t)
{
	struct dir_stats *all = report_mixed(t->row);

	if (all)
		print_side(t, all, &t->row->mixed_rates, DIR_DATA_COUNT);
	free(all);
}

static void print_sides(const struct terse *t)
{
	const struct job_result *row = t->row;

	for (int dir = 0; dir < DIR_DATA_COUNT && row->job->report.unified != UNIFIED_MIXED; dir++)
		if (dir != DIR_TRIM || t->version != TERSE_TRIMS_NOT)
			print_side(t, &row->stats->dirs[dir], &row->rates[dir], (enum io_dir)dir);
	if (row->job->report.unified != UNIFIED_NONE)
		print_mixed(t);
}

static void print_cpu(const struct terse *t)
{
	const struct worker_stats *s = t->row->stats;

	fprintf(t->out, ";%f%%;%f%%;%" PRIu64 ";%" PRIu64 ";%" PRIu64,
		report_cpu_percent(t->row, s->user_ns), report_cpu_percent(t->row, s->system_ns),
		s->context_switches, s->major_faults, s->minor_faults);
}

static void print_shares(const struct terse *t, const double *share, int count)
{
	for (int i = 0; i < count; i++)
		fprintf(t->out, ";%3.2f%%", share[i]);
}

/* I/Os below a microsecond are among those of at most two. */
static void print_distributions(const struct terse *t)
{
	const uint64_t *levels = t->row->stats->depth_levels;
	struct latency_classes classes;
	uint64_t total = 0;

	for (int i = 0; i < STATS_DEPTH_LEVELS; i++)
		total += levels[i];
	for (int i = 0; i < STATS_DEPTH_LEVELS; i++)
		fprintf(t->out, ";%3.1f%%", report_percent(levels[i], total));
	report_latency_classes(t->row->stats, &classes);
	for (int i = 0; i < REPORT_CLASSES; i++)
		classes.us[0] += classes.ns[i];
	print_shares(t, classes.us, REPORT_CLASSES);
	print_shares(t, classes.ms, REPORT_CLASSES_MS);
}

static void print_disks(const struct terse *t)
{
	for (size_t i = 0; i < t->result->disks_count; i++) {
		const struct disk_util *d = &t->result->disks[i];

		fprintf(t->out, ";%s;%" PRIu64 ";%" PRIu64 ";%" PRIu64 ";%" PRIu64 ";%" PRIu64
			";%" PRIu64 ";%" PRIu64 ";%3.2f%%", d->name, d->read_ios, d->write_ios,
			d->read_merges, d->write_merges, d->read_ticks_ms, d->write_ticks_ms,
			d->in_queue_ms, d->util_percent);
	}
}

/* The description: behind the others, or in version 2 on a line of its own. */
static void print_row(const struct terse *t)
{
	const struct job_result *row = t->row;
	const bool is_named = t->version >= TERSE_NAMED;

	fprintf(t->out, "%d%s%s;%s;%" PRIu32 ";%d", t->version, is_named ? ";" : "",
		is_named ? version_text() : "", row->job->name, row->group_id, report_error(row));
	print_sides(t);
	print_cpu(t);
	print_distributions(t);
	if (is_named)
		print_disks(t);
	if (report_passes_errors(row->job))
		fprintf(t->out, ";%" PRIu64 ";%d", report_errors(row->stats), report_error(row));
	if (row->job->description)
		fprintf(t->out, "%s;%s", is_named ? "" : "\n", row->job->description);
	fputc('\n', t->out);
}

void output_terse(FILE *out, const struct result *result, int version)
{
	for (size_t i = 0; i < result->rows_count; i++) {
		const struct terse t = { out, version, result, &result->rows[i] };

		if (t.row->job->report.stats)
			print_row(&t);
	}
}
