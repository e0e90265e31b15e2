/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engines/engine.h"
#include "output/output.h"
#include "output/output_json_run.h"
#include "output/output_json_series.h"
#include "output/output_json_steady.h"
#include "output/report.h"
#include "util/json.h"

/* How one job's latencies are told. */
struct detail {
	const struct job *job;
	bool plus;
};

static void write_percentiles(struct json *j, const struct histogram *h, const struct moments *m,
			      const struct job *job)
{
	const struct percentile_list *list = report_percentiles(job);
	uint64_t values[PERCENTILES_MAX];
	char key[32];

	report_latency_percentiles(h, m, list, values);
	json_object_begin(j, "percentile");
	for (uint32_t i = 0; i < list->count; i++) {
		snprintf(key, sizeof(key), "%f", list->percents[i]);
		json_uint(j, key, values[i]);
	}
	json_object_end(j);
}

static void write_bins(struct json *j, const struct histogram *h)
{
	char key[32];

	json_object_begin(j, "bins");
	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (!h->buckets[i])
			continue;
		snprintf(key, sizeof(key), "%" PRIu64, histogram_value_ns(i));
		json_uint(j, key, h->buckets[i]);
	}
	json_object_end(j);
}

/* Moments, and percentiles and bins where there is a histogram with something in it;
 * h NULL: none is wanted. */
static void write_latency(struct json *j, const char *key, const struct moments *m,
			  const struct histogram *h, const struct detail *detail)
{
	json_object_begin(j, key);
	json_uint(j, "min", m->n ? m->min : 0);
	json_uint(j, "max", m->max);
	json_float(j, "mean", moments_mean(m));
	json_float(j, "stddev", moments_stddev(m));
	json_uint(j, "N", m->n);
	if (h && m->n) {
		write_percentiles(j, h, m, detail->job);
		if (detail->plus)
			write_bins(j, h);
	}
	json_object_end(j);
}

static void write_priorities(struct json *j, const struct dir_stats *d,
			     const struct detail *detail)
{
	const bool whole = detail->job->report.lat_percentiles;

	json_array_begin(j, "prios");
	for (int i = 0; i < STATS_PRIORITIES && d->priorities[i].used; i++) {
		const struct priority_stats *p = &d->priorities[i];

		json_object_begin(j, NULL);
		json_uint(j, "prioclass", report_priority_class(p->priority));
		json_uint(j, "prio", report_priority_level(p->priority));
		json_uint(j, "priohint", report_priority_hint(p->priority));
		write_latency(j, whole ? "lat_ns" : "clat_ns", &p->lat, &p->histogram, detail);
		json_object_end(j);
	}
	json_array_end(j);
}

static void write_rates(struct json *j, const struct rate_samples *r, uint64_t group_bw_bytes)
{
	json_uint(j, "bw_min", r->bw_kib.n ? r->bw_kib.min : 0);
	json_uint(j, "bw_max", r->bw_kib.max);
	json_float(j, "bw_agg", report_share_of_group(r, group_bw_bytes));
	json_float(j, "bw_mean", r->bw_mean);
	json_float(j, "bw_dev", r->bw_stddev);
	json_uint(j, "bw_samples", r->bw_kib.n);
	json_uint(j, "iops_min", r->iops.n ? r->iops.min : 0);
	json_uint(j, "iops_max", r->iops.max);
	json_float(j, "iops_mean", r->iops_mean);
	json_float(j, "iops_stddev", r->iops_stddev);
	json_uint(j, "iops_samples", r->iops.n);
}

/* One direction, or all of them together. */
struct side {
	const char *name;
	const struct dir_stats *stats;
	const struct rate_samples *rates;
	uint64_t group_bw_bytes;
};

static void write_side(struct json *j, const struct side *side, const struct detail *detail)
{
	const struct dir_stats *d = side->stats;
	const struct job *job = detail->job;

	json_object_begin(j, side->name);
	json_uint(j, "io_bytes", d->bytes);
	json_uint(j, "io_kbytes", d->bytes >> 10);
	json_uint(j, "bw_bytes", report_bw_bytes(d));
	json_uint(j, "bw", report_bw_bytes(d) >> 10);
	json_float(j, "iops", report_iops(d));
	json_uint(j, "runtime", report_runtime_ms(d->runtime_ns));
	json_uint(j, "total_ios", d->ios);
	json_uint(j, "short_ios", d->short_ios);
	json_uint(j, "drop_ios", d->dropped_ios);
	write_latency(j, "slat_ns", &d->slat,
		      job->report.slat_percentiles ? &d->slat_histogram : NULL, detail);
	write_latency(j, "clat_ns", &d->clat,
		      job->report.clat_percentiles ? &d->clat_histogram : NULL, detail);
	write_latency(j, "lat_ns", &d->lat, job->report.lat_percentiles ? &d->lat_histogram : NULL,
		      detail);
	if (job->cmdprio)
		write_priorities(j, d, detail);
	write_rates(j, side->rates, side->group_bw_bytes);
	json_object_end(j);
}

static void write_dir(struct json *j, const struct result *r, const struct job_result *row,
		      enum io_dir dir, const struct detail *detail)
{
	struct group_total group;

	report_group_total(r, row->group_id, dir, &group);
	write_side(j, &(struct side){ io_dir_names[dir], &row->stats->dirs[dir], &row->rates[dir],
				      group.bw_bytes }, detail);
}

static void write_mixed(struct json *j, const struct result *r, const struct job_result *row,
			const struct detail *detail)
{
	struct dir_stats *all = report_mixed(row);
	struct group_total group;

	report_group_total(r, row->group_id, DIR_DATA_COUNT, &group);
	if (all)
		write_side(j, &(struct side){ "mixed", all, &row->mixed_rates, group.bw_bytes },
			   detail);
	free(all);
}

static void write_sync(struct json *j, const struct worker_stats *s,
		       const struct detail *detail)
{
	json_object_begin(j, "sync");
	json_uint(j, "total_ios", s->sync_lat.n);
	write_latency(j, "lat_ns", &s->sync_lat, &s->sync_histogram, detail);
	json_object_end(j);
}

static void write_levels(struct json *j, const char *key, const char *const labels[],
			 const uint64_t levels[])
{
	uint64_t total = 0;

	for (int i = 0; i < STATS_DEPTH_LEVELS; i++)
		total += levels[i];
	json_object_begin(j, key);
	for (int i = 0; i < STATS_DEPTH_LEVELS; i++)
		json_float(j, labels[i], report_percent(levels[i], total));
	json_object_end(j);
}

static void write_classes(struct json *j, const char *key, const double *share, int count)
{
	json_object_begin(j, key);
	for (int i = 0; i < count; i++)
		json_float(j, report_class_labels[i], share[i]);
	json_object_end(j);
}

static void write_distributions(struct json *j, const struct worker_stats *s)
{
	struct latency_classes classes;

	write_levels(j, "iodepth_level", report_depth_labels, s->depth_levels);
	write_levels(j, "iodepth_submit", report_batch_labels, s->submit_levels);
	write_levels(j, "iodepth_complete", report_batch_labels, s->complete_levels);
	report_latency_classes(s, &classes);
	write_classes(j, "latency_ns", classes.ns, REPORT_CLASSES);
	write_classes(j, "latency_us", classes.us, REPORT_CLASSES);
	write_classes(j, "latency_ms", classes.ms, REPORT_CLASSES_MS);
}

/* The name of an errno ("EIO"), or its number where libc has no name for it. */
static const char *errno_key(int error, char *room, size_t size)
{
	const char *name = strerrorname_np(error);

	if (name)
		return name;
	snprintf(room, size, "errno %d", error);
	return room;
}

static void write_errors(struct json *j, const struct worker_stats *s)
{
	char room[32];

	json_object_begin(j, "errors");
	for (int i = 0; i < STATS_ERRNO_MAX && s->errors[i].count; i++)
		json_uint(j, errno_key(s->errors[i].error, room, sizeof(room)),
			  s->errors[i].count);
	json_object_end(j);
}

/* Latency from when a rate-limited I/O was due, as "iogate": {"read": {"intended_lat_ns"}}. */
static void write_intended(struct json *j, const struct job_result *row,
			   const struct detail *detail)
{
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++) {
		const struct dir_stats *d = &row->stats->dirs[dir];

		if (!d->intended.n)
			continue;
		json_object_begin(j, io_dir_names[dir]);
		write_latency(j, "intended_lat_ns", &d->intended, &d->intended_histogram, detail);
		json_object_end(j);
	}
}

static void write_extras(struct json *j, const struct job_result *row,
			 const struct detail *detail)
{
	json_object_begin(j, "iogate");
	json_uint(j, "jobs", row->jobs_count);
	json_uint(j, "runtime_ns", row->stats->runtime_ns);
	json_uint(j, "user_ns", row->stats->user_ns);
	json_uint(j, "system_ns", row->stats->system_ns);
	write_intended(j, row, detail);
	write_errors(j, row->stats);
	if (row->error_text[0])
		json_text(j, "error_text", row->error_text);
	output_json_series(j, row);
	json_object_end(j);
}

static void write_cpu(struct json *j, const struct job_result *row)
{
	json_uint(j, "job_runtime", report_runtime_ms(row->stats->all_runtimes_ns));
	json_float(j, "usr_cpu", report_cpu_percent(row, row->stats->user_ns));
	json_float(j, "sys_cpu", report_cpu_percent(row, row->stats->system_ns));
	json_uint(j, "ctx", row->stats->context_switches);
	json_uint(j, "majf", row->stats->major_faults);
	json_uint(j, "minf", row->stats->minor_faults);
}

static bool is_mixed(const struct job_result *row)
{
	return row->job->report.unified == UNIFIED_MIXED;
}

static void write_job(struct json *j, const struct result *r, const struct job_result *row,
		      bool plus)
{
	const struct detail detail = { row->job, plus };

	json_object_begin(j, NULL);
	json_text(j, "jobname", row->job->name);
	json_uint(j, "groupid", row->group_id);
	json_uint(j, "job_start", row->start_unix_ms);
	json_int(j, "error", report_error(row));
	json_int(j, "eta", 0);
	json_uint(j, "elapsed", row->elapsed_s);
	if (row->job->description)
		json_text(j, "desc", row->job->description);
	output_json_settings(j, "job options", row->job->settings, row->job->settings_count);
	for (int dir = 0; dir < DIR_DATA_COUNT && !is_mixed(row); dir++)
		write_dir(j, r, row, (enum io_dir)dir, &detail);
	if (!is_mixed(row))
		write_sync(j, row->stats, &detail);
	if (row->job->report.unified != UNIFIED_NONE)
		write_mixed(j, r, row, &detail);
	write_cpu(j, row);
	write_distributions(j, row->stats);
	if (report_errors(row->stats) || report_passes_errors(row->job)) {
		json_uint(j, "total_err", report_errors(row->stats));
		json_int(j, "first_error", report_error(row));
	}
	json_uint(j, "latency_depth", report_latency_depth(row));
	json_uint(j, "latency_target", row->job->latency.target_ns);
	json_float(j, "latency_percentile", row->job->latency.percentile);
	json_uint(j, "latency_window", row->job->latency.window_ns / 1000);
	if (row->steady)
		output_json_steady(j, row);
	write_extras(j, row, &detail);
	json_object_end(j);
}

void output_json(FILE *out, const struct result *result, const struct job_list *jobs, bool plus)
{
	struct json j;

	json_init(&j, out);
	json_object_begin(&j, NULL);
	output_json_head(&j, result, jobs);
	json_list_begin(&j, "jobs");
	for (size_t i = 0; i < result->rows_count; i++) {
		if (result->rows[i].job->report.stats)
			write_job(&j, result, &result->rows[i], plus);
	}
	json_list_end(&j);
	json_list_begin(&j, "disk_util");
	for (size_t i = 0; i < result->disks_count; i++)
		output_json_disk(&j, &result->disks[i]);
	json_list_end(&j);
	if (result->idleness.profile)
		output_json_idleness(&j, &result->idleness);
	json_object_end(&j);
}
