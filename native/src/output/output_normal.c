/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engines/engine.h"
#include "output/output.h"
#include "output/output_amounts.h"
#include "output/output_latency.h"
#include "output/report.h"
#include "util/humanize.h"

static void print_bandwidth(FILE *out, const struct rate_samples *r, uint64_t group_bw_bytes)
{
	const bool large = r->bw_mean > 1 << 20;	/* a GiB/s and more is told in MiB/s */
	const unsigned per = large ? 1024 : 1;

	fprintf(out, "   bw (  %s/s): min=%5" PRIu64 ", max=%5" PRIu64 ", per=%3.2f%%, avg=%5.2f, "
		"stdev=%5.2f, samples=%" PRIu64 "\n", large ? "MiB" : "KiB", r->bw_kib.min / per,
		r->bw_kib.max / per,
		report_share_of_group(r, group_bw_bytes),
		r->bw_mean / per, r->bw_stddev / per, r->bw_kib.n);
}

static void print_rates(FILE *out, const struct rate_samples *r, uint64_t group_bw_bytes)
{
	if (r->bw_kib.n)
		print_bandwidth(out, r, group_bw_bytes);
	if (!r->iops.n)
		return;
	fprintf(out, "   iops        : min=%5" PRIu64 ", max=%5" PRIu64 ", avg=%5.2f, stdev=%5.2f, "
		"samples=%" PRIu64 "\n", r->iops.min, r->iops.max, r->iops_mean, r->iops_stddev,
		r->iops.n);
}

static void print_latency_percentiles(FILE *out, const struct job *job,
				      const struct dir_stats *d)
{
	if (job->report.slat_percentiles && d->slat.n)
		output_percentiles(out, "slat", &d->slat_histogram, &d->slat, job);
	if (job->report.clat_percentiles && d->clat.n)
		output_percentiles(out, "clat", &d->clat_histogram, &d->clat, job);
	if (job->report.lat_percentiles && d->lat.n)
		output_percentiles(out, "lat", &d->lat_histogram, &d->lat, job);
}

/* "clat prio 1/0": class and level. */
static void priority_name(char name[64], const struct job *job, const struct priority_stats *p,
			  double share)
{
	const char *what = job->report.lat_percentiles ? "lat" : "clat";
	const int length = snprintf(name, 64, "%s prio %u/%u", what,
				    report_priority_class(p->priority),
				    report_priority_level(p->priority));

	if (share > 0)
		snprintf(name + length, 64 - (size_t)length, " (%3.2f%% of IOs)", share);
}

static void print_priorities(FILE *out, const struct job *job, const struct dir_stats *d)
{
	char name[64];

	for (int i = 0; i < STATS_PRIORITIES && d->priorities[i].used; i++) {
		priority_name(name, job, &d->priorities[i], 0);
		output_moments(out, name, &d->priorities[i].lat);
	}
}

static void print_priority_percentiles(FILE *out, const struct job *job, const struct dir_stats *d)
{
	char name[64];

	for (int i = 0; i < STATS_PRIORITIES && d->priorities[i].used; i++) {
		const struct priority_stats *p = &d->priorities[i];

		priority_name(name, job, p, 100.0 * (double)p->lat.n / (double)d->ios);
		output_percentiles(out, name, &p->histogram, &p->lat, job);
	}
}

/* One direction, or all of them together. */
struct side {
	const char *name, *end;
	const struct dir_stats *stats;
	const struct rate_samples *rates;
	enum io_dir dir;		/* DIR_DATA_COUNT: all */
};

static void print_side(FILE *out, const struct result *result, const struct job_result *row,
		       const struct side *side)
{
	const struct dir_stats *d = side->stats;
	const struct job *job = row->job;
	char iops[HUMANIZE_SIZE], iec[HUMANIZE_SIZE], si[HUMANIZE_SIZE], bytes[HUMANIZE_SIZE];
	struct group_total group;

	if (!d->bytes)
		return;
	report_group_total(result, row->group_id, side->dir, &group);
	fprintf(out, "  %s: IOPS=%s, BW=%s/s (%s/s)(%s/%" PRIu64 "msec)%s\n", side->name,
		humanize_count(iops, (uint64_t)report_iops(d), (int)job->report.figures),
		output_rate(iec, job, report_bw_bytes(d), true),
		output_rate(si, job, report_bw_bytes(d), false),
		output_amount(bytes, job, d->bytes, true), report_runtime_ms(d->runtime_ns),
		side->end);
	if (!engine_is_sync(job->ops))
		output_moments(out, "slat", &d->slat);
	output_moments(out, "clat", &d->clat);
	output_moments(out, " lat", &d->lat);
	print_priorities(out, job, d);
	print_latency_percentiles(out, job, d);
	print_priority_percentiles(out, job, d);
	print_rates(out, side->rates, group.bw_bytes);
}

static void print_dir(FILE *out, const struct result *result, const struct job_result *row,
		      enum io_dir dir)
{
	print_side(out, result, row, &(struct side){
		io_dir_names[dir], dir == DIR_WRITE ? "; 0 zone resets" : "",
		&row->stats->dirs[dir], &row->rates[dir], dir,
	});
}

static void print_mixed(FILE *out, const struct result *result, const struct job_result *row)
{
	struct dir_stats *all = report_mixed(row);

	if (all)
		print_side(out, result, row, &(struct side){ "mixed", "", all, &row->mixed_rates,
							     DIR_DATA_COUNT });
	free(all);
}

/* What is there but rounds to nothing is shown as 0.01. */
static double visible(double percent)
{
	return percent > 0 && percent < 0.01 ? 0.01 : percent;
}

static void print_classes(FILE *out, const char *unit, const double *share, int count)
{
	int shown = 0;

	for (int i = 0; i < count; i++) {
		if (share[i] <= 0)
			continue;
		if (shown % 5 == 0)
			fprintf(out, "%s  lat (%s)   : ", shown ? "\n" : "", unit);
		else
			fputs(", ", out);
		const char *label = report_class_labels[i];

		fprintf(out, "%s=%.2f%%", label, visible(share[i]));
		shown++;
	}
	if (shown)
		fputc('\n', out);
}

static void print_latency_classes(FILE *out, const struct worker_stats *s)
{
	struct latency_classes classes;

	report_latency_classes(s, &classes);
	print_classes(out, "nsec", classes.ns, REPORT_CLASSES);
	print_classes(out, "usec", classes.us, REPORT_CLASSES);
	print_classes(out, "msec", classes.ms, REPORT_CLASSES_MS);
}

static void print_sync(FILE *out, const struct worker_stats *s, const struct job *job)
{
	if (!s->sync_lat.n)
		return;
	fputs("  fsync/fdatasync/sync_file_range:\n", out);
	output_moments(out, "sync", &s->sync_lat);
	output_percentiles(out, "sync", &s->sync_histogram, &s->sync_lat, job);
}

static void print_levels(FILE *out, const char *name, const char *const labels[],
			 const uint64_t levels[])
{
	uint64_t total = 0;

	for (int i = 0; i < STATS_DEPTH_LEVELS; i++)
		total += levels[i];
	fputs(name, out);
	for (int i = 0; i < STATS_DEPTH_LEVELS; i++) {
		const double percent = report_percent(levels[i], total);

		fprintf(out, "%s%s=%3.1f%%", i ? ", " : "", labels[i],
			percent > 0 && percent < 0.1 ? 0.1 : percent);
	}
	fputc('\n', out);
}

/* With unified_rw_reporting=mixed all are those of one direction. */
static void print_issued(FILE *out, const struct job_result *row)
{
	static const struct dir_stats none;
	const bool mixed = row->job->report.unified == UNIFIED_MIXED;
	struct dir_stats *all = mixed ? report_mixed(row) : NULL;
	const struct dir_stats *dirs = row->stats->dirs;
	const struct dir_stats *r = all ? all : &dirs[DIR_READ];
	const struct dir_stats *w = all ? &none : &dirs[DIR_WRITE];
	const struct dir_stats *t = all ? &none : &dirs[DIR_TRIM];

	fprintf(out, "     issued rwts: total=%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
		" short=%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",0 dropped=%" PRIu64 ",%" PRIu64
		",%" PRIu64 ",0\n", r->ios, w->ios, t->ios, row->stats->sync_lat.n,
		r->short_ios, w->short_ios, t->short_ios, r->dropped_ios, w->dropped_ios,
		t->dropped_ios);
	free(all);
}

static void print_errors(FILE *out, const struct job_result *row)
{
	const struct errno_count *errors = row->stats->errors;

	if (!errors[0].count)
		return;
	fputs("  errors       : ", out);
	for (int i = 0; i < STATS_ERRNO_MAX && errors[i].count; i++)
		fprintf(out, "%s%s=%" PRIu64, i ? ", " : "", strerror(errors[i].error),
			errors[i].count);
	fputc('\n', out);
}

static void print_row_head(FILE *out, const struct result *result, const struct job_result *row)
{
	const time_t seconds = (time_t)(result->end_unix_ms / 1000);
	struct tm local;
	char when[64], error[128] = "";

	localtime_r(&seconds, &local);
	strftime(when, sizeof(when), "%a %b %e %H:%M:%S %Y", &local);
	if (report_error(row))
		snprintf(error, sizeof(error), " (%s)", strerror(report_error(row)));
	fprintf(out, "%s: (groupid=%u, jobs=%u): err=%2d%s: pid=%d: %s\n", row->job->name,
		row->group_id, row->jobs_count, report_error(row), error, row->pid, when);
	if (row->job->description)
		fprintf(out, "  Description  : [%s]\n", row->job->description);
}

static void print_steady(FILE *out, const struct job_result *row)
{
	const struct steady_criterion *asked = &row->job->steady.criterion;
	const uint64_t bytes = (uint64_t)report_steady_mean(row->steady, STEADY_AT_BW);
	char binary[HUMANIZE_SIZE], decimal[HUMANIZE_SIZE], iops[HUMANIZE_SIZE];

	fprintf(out, "  steadystate  : attained=%s, bw=%s/s (%s/s), iops=%s, %.*s %s=%.3f%s\n",
		row->steady->attained ? "yes" : "no", output_rate(binary, row->job, bytes, true),
		output_rate(decimal, row->job, bytes, false),
		humanize_count(iops, (uint64_t)report_steady_mean(row->steady, STEADY_AT_IOPS),
			       (int)row->job->report.figures),
		(int)strcspn(asked->name, "_"), asked->name,
		asked->slope ? "slope" : "mean dev", row->steady->criterion,
		asked->percent ? "%" : "");
}

static void print_row(FILE *out, const struct result *result, const struct job_result *row)
{
	const struct worker_stats *s = row->stats;

	print_row_head(out, result, row);
	for (int dir = 0; dir < DIR_DATA_COUNT && row->job->report.unified != UNIFIED_MIXED; dir++)
		print_dir(out, result, row, (enum io_dir)dir);
	if (row->job->report.unified != UNIFIED_NONE)
		print_mixed(out, result, row);
	print_latency_classes(out, s);
	print_sync(out, s, row->job);
	fprintf(out, "  cpu          : usr=%3.2f%%, sys=%3.2f%%, ctx=%" PRIu64 ", majf=%" PRIu64
		", minf=%" PRIu64 "\n", report_cpu_percent(row, s->user_ns),
		report_cpu_percent(row, s->system_ns), s->context_switches, s->major_faults,
		s->minor_faults);
	print_errors(out, row);
	print_levels(out, "  IO depths    : ", report_depth_labels, s->depth_levels);
	print_levels(out, "     submit    : ", report_batch_labels, s->submit_levels);
	print_levels(out, "     complete  : ", report_batch_labels, s->complete_levels);
	print_issued(out, row);
	if (report_passes_errors(row->job))
		fprintf(out, "     errors    : total=%" PRIu64 ", first_error=%d/<%s>\n",
			report_errors(s), report_error(row), strerror(report_error(row)));
	fprintf(out, "     latency   : target=%" PRIu64 ", window=%" PRIu64 ", percentile=%.2f%%, "
		"depth=%u\n", row->job->latency.target_ns, row->job->latency.window_ns / 1000,
		row->job->latency.percentile, report_latency_depth(row));
	if (row->steady)
		print_steady(out, row);
}

static void print_group_dir(FILE *out, const char *name, const struct job *job,
			    const struct group_total *t)
{
	char a[HUMANIZE_SIZE], b[HUMANIZE_SIZE], c[HUMANIZE_SIZE], d[HUMANIZE_SIZE];

	fprintf(out, "%7s: bw=%s/s (%s/s), ", name, output_rate(a, job, t->bw_bytes, true),
		output_rate(b, job, t->bw_bytes, false));
	fprintf(out, "%s/s-%s/s (%s/s-%s/s), ", output_rate(a, job, t->bw_min, true),
		output_rate(b, job, t->bw_max, true), output_rate(c, job, t->bw_min, false),
		output_rate(d, job, t->bw_max, false));
	fprintf(out, "io=%s (%s), run=%" PRIu64 "-%" PRIu64 "msec\n",
		output_amount(a, job, t->bytes, true), output_amount(b, job, t->bytes, false),
		t->runtime_min_ms, t->runtime_max_ms);
}

/* The first job of a group says how it is reported. */
static const struct job *first_of(const struct result *result, uint32_t group_id)
{
	size_t i = 0;

	while (i + 1 < result->rows_count && result->rows[i].group_id != group_id)
		i++;
	return result->rows[i].job;
}

static void print_group(FILE *out, const struct result *result, uint32_t group_id)
{
	static const char *const names[DIR_DATA_COUNT + 1] = { "READ", "WRITE", "TRIM", "MIXED" };
	const struct job *job = first_of(result, group_id);
	const enum unified unified = job->report.unified;
	const int first = unified == UNIFIED_MIXED ? DIR_DATA_COUNT : 0;
	const int end = unified == UNIFIED_NONE ? DIR_DATA_COUNT : DIR_DATA_COUNT + 1;

	fprintf(out, "\nRun status group %u (all jobs):\n", group_id);
	for (int dir = first; dir < end; dir++) {
		struct group_total t;

		report_group_total(result, group_id, (enum io_dir)dir, &t);
		if (t.bytes)
			print_group_dir(out, names[dir], job, &t);
	}
}

static void print_disks(FILE *out, const struct result *result)
{
	if (!result->disks_count)
		return;
	fputs("\nDisk stats (read/write):\n", out);
	for (size_t i = 0; i < result->disks_count; i++) {
		const struct disk_util *d = &result->disks[i];

		fprintf(out, "  %s: ios=%" PRIu64 "/%" PRIu64 ", merge=%" PRIu64 "/%" PRIu64
			", ticks=%" PRIu64 "/%" PRIu64 ", in_queue=%" PRIu64 ", util=%3.2f%%\n",
			d->name, d->read_ios, d->write_ios, d->read_merges, d->write_merges,
			d->read_ticks_ms, d->write_ticks_ms, d->in_queue_ms, d->util_percent);
	}
}

void output_idleness(FILE *out, const struct idleness *idle)
{
	fputs("\nCPU idleness:\n", out);
	if (idle->profile)
		fprintf(out, "  system: %3.2f%%\n", idle->system);
	for (uint32_t i = 0; idle->profile == IDLE_PROFILE_CPUS && i < idle->count; i++)
		fprintf(out, "%s%3.2f%%%s", i ? ", " : "  percpu: ", idle->cpus[i],
			i + 1 < idle->count ? "" : "\n");
	fprintf(out, "  unit work: mean=%3.2fus, stddev=%3.2f\n", idle->unit_mean_us,
		idle->unit_stddev_us);
}

void output_normal(FILE *out, const struct result *result, const struct job_list *jobs)
{
	uint32_t groups = 0;

	(void)jobs;
	fputc('\n', out);
	for (size_t i = 0; i < result->rows_count; i++) {
		const struct job_result *row = &result->rows[i];

		if (row->job->report.stats)
			print_row(out, result, row);
		groups = row->group_id + 1 > groups ? row->group_id + 1 : groups;
	}
	for (uint32_t group = 0; group < groups; group++)
		print_group(out, result, group);
	print_disks(out, result);
	if (result->idleness.profile)
		output_idleness(out, &result->idleness);
}
