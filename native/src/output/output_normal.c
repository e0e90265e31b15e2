/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "engines/engine.h"
#include "output/output.h"
#include "output/report.h"
#include "util/humanize.h"
#include "util/version.h"

/* A latency is shown in the largest unit that leaves digits to the smallest value. */
struct latency_unit {
	const char *name;
	uint64_t ns;
};

static const struct latency_unit latency_units[] = {
	{ "msec", 1000000 }, { "usec", 1000 }, { "nsec", 1 },
};

static const struct latency_unit *choose_unit(uint64_t min_ns, uint64_t max_ns)
{
	const struct latency_unit *unit = latency_units;

	while (unit->ns > 1 && (min_ns < 2 * unit->ns || max_ns < 100 * unit->ns))
		unit++;
	return unit;
}

static void print_moments(FILE *out, const char *name, const struct moments *m)
{
	char min[HUMANIZE_SIZE], max[HUMANIZE_SIZE];

	if (!m->n)
		return;
	const struct latency_unit *unit = choose_unit(m->min, m->max);
	const double ns = (double)unit->ns;

	fprintf(out, "    %s (%s): min=%s, max=%s, avg=%5.2f, stdev=%5.2f\n", name, unit->name,
		humanize_count(min, m->min / unit->ns, 6),
		humanize_count(max, m->max / unit->ns, 6),
		moments_mean(m) / ns, moments_stddev(m) / ns);
}

static int decimal_width(uint64_t value)
{
	int width = 1;

	for (; value >= 10; value /= 10)
		width++;
	return width < 5 ? 5 : width;
}

static void print_percentiles(FILE *out, const char *name, const struct histogram *h,
			      const struct job *job)
{
	const struct percentile_list *list = report_percentiles(job);
	const int count = (int)list->count;
	uint64_t values[PERCENTILES_MAX];

	histogram_percentiles(h, list->percents, list->count, values);
	const struct latency_unit *unit = choose_unit(values[0], values[count - 1]);
	const int width = decimal_width(values[count - 1] / unit->ns);
	const int columns = (80 - 7) / (12 + width);

	fprintf(out, "    %s percentiles (%s):\n", name, unit->name);
	for (int i = 0; i < count; i++) {
		const bool last = i == count - 1;

		fprintf(out, "%s%5.2fth=[%*" PRIu64 "]%s", i % columns ? " " : "     | ",
			list->percents[i], width, (values[i] + unit->ns / 2) / unit->ns,
			last || i % columns == columns - 1 ? "" : ",");
		if (last)
			fputc('\n', out);
		else if (i % columns == columns - 1)
			fputs(",\n", out);
	}
}

static void print_rates(FILE *out, const struct rate_samples *r, uint64_t group_bw_bytes)
{
	if (!r->bw_kib.n)
		return;
	fprintf(out, "   bw (  KiB/s): min=%5" PRIu64 ", max=%5" PRIu64 ", per=%3.2f%%, avg=%5.2f, "
		"stdev=%5.2f, samples=%" PRIu64 "\n", r->bw_kib.min, r->bw_kib.max,
		group_bw_bytes ? r->bw_mean * 102400 / (double)group_bw_bytes : 0,
		r->bw_mean, r->bw_stddev, r->bw_kib.n);
	fprintf(out, "   iops        : min=%5" PRIu64 ", max=%5" PRIu64 ", avg=%5.2f, stdev=%5.2f, "
		"samples=%" PRIu64 "\n", r->iops.min, r->iops.max, r->iops_mean, r->iops_stddev,
		r->iops.n);
}

static void print_latency_percentiles(FILE *out, const struct job *job,
				      const struct dir_stats *d)
{
	if (job->report.slat_percentiles && d->slat.n)
		print_percentiles(out, "slat", &d->slat_histogram, job);
	if (job->report.clat_percentiles && d->clat.n)
		print_percentiles(out, "clat", &d->clat_histogram, job);
	if (job->report.lat_percentiles && d->lat.n)
		print_percentiles(out, "lat", &d->lat_histogram, job);
}

static void print_dir(FILE *out, const struct result *result, const struct job_result *row,
		      enum io_dir dir)
{
	const struct dir_stats *d = &row->stats->dirs[dir];
	char iops[HUMANIZE_SIZE], iec[HUMANIZE_SIZE], si[HUMANIZE_SIZE], bytes[HUMANIZE_SIZE];
	struct group_total group;

	if (!d->bytes)
		return;
	report_group_total(result, row->group_id, dir, &group);
	fprintf(out, "  %s: IOPS=%s, BW=%s/s (%s/s)(%s/%" PRIu64 "msec)%s\n", io_dir_names[dir],
		humanize_count(iops, (uint64_t)report_iops(d), 4),
		humanize_bytes(iec, report_bw_bytes(d), 1024),
		humanize_bytes(si, report_bw_bytes(d), 1000),
		humanize_bytes(bytes, d->bytes, 1024), report_runtime_ms(d->runtime_ns),
		dir == DIR_WRITE ? "; 0 zone resets" : "");
	if (!engine_is_sync(row->job->ops))
		print_moments(out, "slat", &d->slat);
	print_moments(out, "clat", &d->clat);
	print_moments(out, " lat", &d->lat);
	print_latency_percentiles(out, row->job, d);
	print_rates(out, &row->rates[dir], group.bw_bytes);
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
	print_moments(out, "sync", &s->sync_lat);
	print_percentiles(out, "sync", &s->sync_histogram, job);
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

static void print_issued(FILE *out, const struct worker_stats *s)
{
	const struct dir_stats *d = s->dirs;

	fprintf(out, "     issued rwts: total=%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
		" short=%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",0 dropped=%" PRIu64 ",%" PRIu64
		",%" PRIu64 ",0\n",
		d[DIR_READ].ios, d[DIR_WRITE].ios, d[DIR_TRIM].ios, s->sync_lat.n,
		d[DIR_READ].short_ios, d[DIR_WRITE].short_ios, d[DIR_TRIM].short_ios,
		d[DIR_READ].dropped_ios, d[DIR_WRITE].dropped_ios, d[DIR_TRIM].dropped_ios);
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
	if (row->error)
		snprintf(error, sizeof(error), " (%s)", strerror(row->error));
	fprintf(out, "%s: (groupid=%u, jobs=%u): err=%2d%s: pid=%d: %s\n", row->job->name,
		row->group_id, row->jobs_count, row->error, error, row->pid, when);
	if (row->job->description)
		fprintf(out, "  Description  : [%s]\n", row->job->description);
}

static void print_row(FILE *out, const struct result *result, const struct job_result *row)
{
	const struct worker_stats *s = row->stats;

	print_row_head(out, result, row);
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++)
		print_dir(out, result, row, (enum io_dir)dir);
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
	print_issued(out, s);
	fprintf(out, "     latency   : target=0, window=0, percentile=100.00%%, depth=%u\n",
		row->job->depth.iodepth);
}

static void print_group_dir(FILE *out, const char *name, const struct group_total *t)
{
	char a[HUMANIZE_SIZE], b[HUMANIZE_SIZE], c[HUMANIZE_SIZE], d[HUMANIZE_SIZE];

	fprintf(out, "%7s: bw=%s/s (%s/s), ", name, humanize_bytes(a, t->bw_bytes, 1024),
		humanize_bytes(b, t->bw_bytes, 1000));
	fprintf(out, "%s/s-%s/s (%s/s-%s/s), ", humanize_bytes(a, t->bw_min, 1024),
		humanize_bytes(b, t->bw_max, 1024), humanize_bytes(c, t->bw_min, 1000),
		humanize_bytes(d, t->bw_max, 1000));
	fprintf(out, "io=%s (%s), run=%" PRIu64 "-%" PRIu64 "msec\n",
		humanize_bytes(a, t->bytes, 1024), humanize_bytes(b, t->bytes, 1000),
		t->runtime_min_ms, t->runtime_max_ms);
}

static void print_group(FILE *out, const struct result *result, uint32_t group_id)
{
	static const char *const names[DIR_DATA_COUNT] = { "READ", "WRITE", "TRIM" };

	fprintf(out, "\nRun status group %u (all jobs):\n", group_id);
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++) {
		struct group_total t;

		report_group_total(result, group_id, (enum io_dir)dir, &t);
		if (t.bytes)
			print_group_dir(out, names[dir], &t);
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

void output_normal(FILE *out, const struct result *result, const struct job_list *jobs)
{
	uint32_t groups = 0;

	(void)jobs;
	fputc('\n', out);
	for (size_t i = 0; i < result->rows_count; i++) {
		const struct job_result *row = &result->rows[i];

		print_row(out, result, row);
		groups = row->group_id + 1 > groups ? row->group_id + 1 : groups;
	}
	for (uint32_t group = 0; group < groups; group++)
		print_group(out, result, group);
	print_disks(out, result);
}

/* fio's word for an rw mode. */
static const char *rw_name(uint32_t rw)
{
	static const struct { uint32_t rw; const char *name; } names[] = {
		{ RW_READ, "read" }, { RW_WRITE, "write" }, { RW_TRIM, "trim" },
		{ RW_READ | RW_WRITE, "rw" },
		{ RW_READ | RW_RANDOM, "randread" }, { RW_WRITE | RW_RANDOM, "randwrite" },
		{ RW_TRIM | RW_RANDOM, "randtrim" }, { RW_READ | RW_WRITE | RW_RANDOM, "randrw" },
		{ RW_TRIM | RW_WRITE, "trimwrite" },
		{ RW_TRIM | RW_WRITE | RW_RANDOM, "randtrimwrite" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].rw == rw)
			return names[i].name;
	}
	return "?";
}

static void print_job_line(FILE *out, const struct job *job)
{
	static const char letters[DIR_DATA_COUNT] = { 'R', 'W', 'T' };

	fprintf(out, "%s: (g=%u): rw=%s, bs=", job->name, job->group_id, rw_name(job->rw));
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++) {
		char bs[HUMANIZE_SIZE];

		humanize_bytes(bs, job->block.bytes[dir], 1024);
		fprintf(out, "%s(%c) %s-%s", dir ? ", " : "", letters[dir], bs, bs);
	}
	fprintf(out, ", ioengine=%s, iodepth=%u\n%s", job->ops->name, job->depth.iodepth,
		job->process.numjobs > 1 ? "...\n" : "");
}

static void print_starting(FILE *out, const struct job_list *jobs)
{
	uint64_t threads = 0, processes = 0;

	for (const struct job *job = jobs->jobs; job < jobs->jobs + jobs->count; job++)
		*(job->process.thread ? &threads : &processes) += job->process.numjobs;
	fputs("Starting ", out);
	if (threads)
		fprintf(out, "%" PRIu64 " thread%s%s", threads, threads == 1 ? "" : "s",
			processes ? " and " : "\n");
	if (processes)
		fprintf(out, "%" PRIu64 " process%s\n", processes, processes == 1 ? "" : "es");
}

void output_normal_jobs(FILE *out, const struct job_list *jobs)
{
	for (size_t i = 0; i < jobs->count; i++)
		print_job_line(out, &jobs->jobs[i]);
	fputs(IOGATE_ENGINE_NAME "-" IOGATE_ENGINE_VERSION "\n", out);
	print_starting(out, jobs);
}
