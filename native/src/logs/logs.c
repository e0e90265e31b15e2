/* SPDX-License-Identifier: Apache-2.0 */
#include "logs/logs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "logs/iolog.h"
#include "logs/log_packed.h"
#include "stats/clock.h"

static const char *const kind_names[LOG_KINDS] = {
	[LOG_BW] = "bw", [LOG_IOPS] = "iops", [LOG_SLAT] = "slat", [LOG_CLAT] = "clat",
	[LOG_LAT] = "lat", [LOG_HIST] = "clat_hist",
};

static const char *asked_name(const struct job *job, enum log_kind kind)
{
	switch (kind) {
	case LOG_BW:
		return job->log.bw;
	case LOG_IOPS:
		return job->log.iops;
	case LOG_HIST:
		return job->log.hist;
	default:
		return job->log.lat;
	}
}

/* A latency that is not measured has no log. */
static bool has_file(const struct job *job, enum log_kind kind)
{
	switch (kind) {
	case LOG_SLAT:
		return !job->report.disable_slat && !job->report.gtod_reduce;
	case LOG_CLAT:
		return !job->report.disable_clat && !job->report.gtod_reduce;
	case LOG_LAT:
		return !job->report.disable_lat && !job->report.gtod_reduce;
	default:
		return true;
	}
}

/* What is counted all the same has its averages; only rows of each I/O are left out. */
bool logs_have_rows(const struct logs *l, enum log_kind kind)
{
	const struct job *job = l->job;

	if (!l->paths[kind] || !job->report.stats)
		return false;
	switch (kind) {
	case LOG_SLAT:
		return !engine_is_sync(job->ops);
	case LOG_BW:
		return job->log.avg_ms || !(job->report.disable_bw || job->report.gtod_reduce);
	case LOG_IOPS:
		return job->log.avg_ms || !job->report.gtod_reduce;
	case LOG_HIST:
		return !(job->report.disable_clat || job->report.gtod_reduce);
	default:
		return true;
	}
}

/* Histograms have more columns than a packed row. */
static bool is_packed(const struct job *job, enum log_kind kind)
{
	return job->log.packed && kind != LOG_HIST;
}

static char *make_path(const struct job *job, const char *name, enum log_kind kind,
		       uint32_t number)
{
	const char *base = *name ? name : job->name;
	const char *suffix = is_packed(job, kind) ? ".fz" : "";
	char *path = NULL;
	int length;

	if (job->log.per_job)
		length = asprintf(&path, "%s_%s.%u.log%s", base, kind_names[kind], number,
				  suffix);
	else
		length = asprintf(&path, "%s_%s.log%s", base, kind_names[kind], suffix);
	return length < 0 ? NULL : path;
}

int logs_init(struct logs *l, const struct job *job, uint32_t number, struct err *err)
{
	*l = (struct logs){ .job = job };
	if (job->replay.record && iolog_create(job, err))
		return err->code;
	for (enum log_kind kind = 0; kind < LOG_KINDS; kind++) {
		const char *name = asked_name(job, kind);
		int error;

		if (!name || !has_file(job, kind))
			continue;
		l->paths[kind] = make_path(job, name, kind, number);
		if (!l->paths[kind])
			return err_set(err, -ENOMEM, "%s: no memory", job->name);
		error = log_text_create(l->paths[kind]);
		if (error)
			return log_text_error(job, l->paths[kind], error, err);
	}
	return 0;
}

void logs_release(struct logs *l)
{
	for (int kind = 0; kind < LOG_KINDS; kind++)
		free(l->paths[kind]);
	*l = (struct logs){ .job = NULL };
}

void logs_text_init(const struct logs *l, enum log_kind kind, struct log_text *t)
{
	log_text_init(t, l->paths[kind]);
	if (l->job && is_packed(l->job, kind))
		log_text_pack(t, l->job->log.packed_bytes);
}

static void finish_row(const struct job *job, struct log_text *t, const struct log_row *row)
{
	char word[8];

	snprintf(word, sizeof(word), job->log.prio ? "0x%04x" : "%d",
		 job->log.prio ? row->priority : log_row_is_high(row));
	log_text_word(t, word);
	if (job->log.issue_time) {
		log_text_word(t, ", ");
		log_text_number(t, row->issue_ns);
	}
	log_text_line_end(t);
}

static void pack_row(const struct job *job, struct log_text *t, const struct log_row *row)
{
	const struct packed_row p = { .row = *row, .has_offset = job->log.offset,
				      .has_priority = job->log.prio };
	uint8_t bytes[PACKED_ROW_MAX];

	log_text_packed_row(t, bytes, log_packed_put(&p, bytes));
}

void logs_row(const struct job *job, struct log_text *t, const struct log_row *row)
{
	const bool plain = !job->log.prio && !job->log.issue_time;
	uint64_t values[8];
	uint32_t count = 0;

	if (t->packed_bytes) {
		pack_row(job, t, row);
		return;
	}
	values[count++] = row->time_ms;
	values[count++] = row->value;
	if (row->has_max)
		values[count++] = row->max;
	values[count++] = row->dir;
	values[count++] = row->bytes;
	if (job->log.offset)
		values[count++] = row->offset;
	if (plain) {
		values[count++] = log_row_is_high(row);
		log_text_row(t, values, count);
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		log_text_number(t, values[i]);
		log_text_word(t, ", ");
	}
	finish_row(job, t, row);
}

/* Rows of each I/O on their way to one file. */
struct log_writer {
	const struct job *job;
	enum log_kind kind;
	struct log_text text;
	uint64_t begin_ticks, base_ms;
	struct rate_samples *rates;
};

static uint64_t record_value(enum log_kind kind, const struct log_record *r, bool synchronous)
{
	const uint64_t clat = clock_between_ns(r->issue_ticks, r->done_ticks);
	const uint64_t slat = synchronous ? 0 : clock_between_ns(r->start_ticks, r->issue_ticks);

	switch (kind) {
	case LOG_BW:
		return clat ? (uint64_t)((double)r->bytes * 1e9 / 1024 / (double)clat) : 0;
	case LOG_IOPS:
		return 1;
	case LOG_SLAT:
		return slat;
	case LOG_LAT:
		return slat + clat;
	default:
		return clat;
	}
}

/* fio samples each I/O where it logs each. */
static void add_sample(const struct log_writer *w, const struct log_record *r, uint64_t value)
{
	if (r->dir < DIR_DATA_COUNT && w->kind == LOG_BW)
		moments_add(&w->rates[r->dir].bw_kib, value);
	else if (r->dir < DIR_DATA_COUNT && w->kind == LOG_IOPS)
		moments_add(&w->rates[r->dir].iops, value);
}

static void write_record(void *context, const struct log_record *r)
{
	struct log_writer *w = context;
	const bool synchronous = engine_is_sync(w->job->ops);
	const uint64_t time_ns = clock_between_ns(w->begin_ticks, r->done_ticks);
	const uint64_t value = record_value(w->kind, r, synchronous);

	add_sample(w, r, value);
	logs_row(w->job, &w->text, &(struct log_row){
		.time_ms = w->base_ms + time_ns / 1000000, .offset = r->offset,
		.value = value, .bytes = r->bytes,
		.dir = r->dir, .priority = r->priority,
		.issue_ns = clock_between_ns(w->begin_ticks, r->issue_ticks),
	});
}

int logs_write_each(const struct logs *l, const struct log_buffer *b,
		    const struct logs_begin *begin, struct rate_samples *rates, struct err *err)
{
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++) {
		moments_init(&rates[dir].bw_kib);
		moments_init(&rates[dir].iops);
	}
	for (enum log_kind kind = LOG_BW; kind < LOG_HIST; kind++) {
		struct log_writer w = { .job = l->job, .kind = kind, .begin_ticks = begin->ticks,
				     .base_ms = l->job->log.unix_epoch ? begin->epoch_ms : 0,
				     .rates = rates };
		int error;

		if (!logs_have_rows(l, kind))
			continue;
		logs_text_init(l, kind, &w.text);
		log_buffer_each(b, write_record, &w);
		error = log_text_finish(&w.text);
		if (error)
			return log_text_error(l->job, l->paths[kind], error, err);
	}
	if (b->lost)
		return err_set(err, -ENOMEM, "%s: the logs lack %llu I/Os, for which there was no "
			       "memory: set log_avg_msec, or a shorter runtime", l->job->name,
			       (unsigned long long)b->lost);
	return 0;
}
