/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/account.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "worker/file_locks.h"
#include "worker/latency_target.h"
#include "worker/loop_verify.h"

void account_depths(struct worker_stats *s, uint32_t before, uint32_t n)
{
	uint32_t depth = before + 1;
	const uint32_t end = before + n + 1;

	while (depth < end) {
		const uint32_t level = account_depth_level(depth);
		const bool last = level == STATS_DEPTH_LEVELS - 1;
		const uint32_t next = last || end < 2u << level ? end : 2u << level;

		s->depth_levels[level] += next - depth;
		depth = next;
	}
}

static bool is_listed(const struct error_list *list, int error)
{
	for (uint32_t i = 0; i < list->count; i++) {
		if (list->codes[i] == error)
			return true;
	}
	return false;
}

/* Whether the job goes on after it (continue_on_error, ignore_error). */
static bool passes(struct loop *l, enum error_kind kind, int error)
{
	const struct job *job = l->job;
	const struct error_list *ignored = &job->errors.ignore[kind];
	const bool asked = job->errors.continue_on & (1u << kind);
	const bool passed = ignored->count ? is_listed(ignored, error)
			    : asked && (error == EIO || error == EILSEQ);

	if (passed && !l->shared->passed_error)
		l->shared->passed_error = error;
	return passed;
}

/* "write of 4096 bytes at offset 0 of 'x'"; of a call on a name no bytes are moved. */
static const char *io_words(const struct loop *l, const struct io *io, char *text, size_t size)
{
	const char *path = l->engine.files_count ? l->engine.files[io->file].path : "";

	if (l->job->ops->flags & ENGINE_BY_NAME)
		snprintf(text, size, "%s of '%s'", l->job->ops->name, path);
	else
		snprintf(text, size, "%s of %u bytes at offset %" PRIu64 " of '%s'",
			 io_dir_names[io->dir], io->length, io->offset, path);
	return text;
}

static void account_error(struct loop *l, const struct io *io, int error, const char *what)
{
	char text[PATH_MAX + 128];

	worker_stats_error(l->stats, error, 1);
	if (passes(l, io->dir == DIR_READ ? ERROR_READ : ERROR_WRITE, error) || l->error)
		return;
	loop_fail(l, error);
	worker_error(l->shared, error, "%s: %s failed: %s", l->job->name,
		     io_words(l, io, text, sizeof(text)), what ? what : strerror(error));
}

static void account_sync(struct loop *l, const struct io *io, uint64_t now)
{
	const uint64_t lat = clock_between_ns(io->issue_ticks, now);

	moments_add(&l->stats->sync_lat, lat);
	histogram_add(&l->stats->sync_histogram, lat);
}

/* Its bytes count now, the I/O itself when the rest is done. */
static void go_on(struct loop *l, struct io *io)
{
	struct dir_stats *d = &l->stats->dirs[io->dir];
	const uint32_t moved = (uint32_t)io->result;

	d->short_ios += io->buffer == io->home;
	d->bytes += moved;
	io->buffer = (char *)io->buffer + moved;
	io->offset += moved;
	io->length -= moved;
}

/* fill_device: no space is left, and so the job has done what it should. */
static bool is_full(struct loop *l, const struct io *io)
{
	const int error = -io->result;

	if (!l->job->amount.fill || io->dir != DIR_WRITE || (error != ENOSPC && error != EDQUOT))
		return false;
	l->slow.full = true;
	return true;
}

/* What found no space was never written. */
static bool is_past_full(const struct loop *l)
{
	return l->slow.full && l->slow.checking.on;
}

/* A job that makes its files as it goes reads where nothing is yet. As with fio, that is an error
 * where I/O is synchronous, and else an I/O of no bytes. */
static bool is_yet_to_come(const struct loop *l, const struct io *io)
{
	return io->dir == DIR_READ && l->job->files.create_on_open && !l->synchronous &&
	       !l->slow.checking.on;
}

/* Nothing more comes; what came before the end of the file is an I/O, too. */
static void account_end(struct loop *l, const struct io *io, uint64_t now)
{
	const bool ends = l->job->ops->flags & ENGINE_ENDS;

	if (ends)
		atomic_store(l->stop, 1);
	if (io->buffer != io->home || is_yet_to_come(l, io))
		account_run(l, io, 1, 0, now, l->synchronous);
	else if (!is_past_full(l) && !ends)
		account_error(l, io, EIO, io->dir == DIR_READ
			      ? "nothing there: the file ends before (was it truncated?)"
			      : "the kernel took nothing");
}

bool account_odd(struct loop *l, struct io *io, uint64_t now)
{
	if (io->result == IO_NO_MORE) {
		atomic_store(l->stop, 1);
	} else if (io->result < 0 && is_full(l, io)) {
		return true;
	} else if (io->result < 0) {
		account_error(l, io, -io->result, NULL);
	} else if (io->dir == DIR_SYNC) {
		account_sync(l, io, now);
	} else if (!io->result) {
		account_end(l, io, now);
	} else {
		go_on(l, io);
		return false;
	}
	return true;
}

static uint16_t priority_of(const struct loop *l, const struct io *io)
{
	const uint16_t own = l->slow.priorities ? l->slow.priorities[io->slot] : 0;

	return own ? own : job_priority(l->job);
}

static void log_io(struct loop *l, const struct io *io, uint64_t now)
{
	struct log_record *r = log_buffer_next(l->log);

	if (!r)
		return;
	*r = (struct log_record){
		.start_ticks = io->start_ticks, .issue_ticks = io->issue_ticks, .done_ticks = now,
		.offset = io->offset, .bytes = io->length, .file = io->file, .dir = io->dir,
		.priority = priority_of(l, io),
	};
}

static void add_histograms(struct loop *l, const struct io *io, uint64_t clat)
{
	struct dir_stats *d = &l->stats->dirs[io->dir];
	const uint64_t slat = clock_between_ns(io->start_ticks, io->issue_ticks);

	histogram_add(&d->slat_histogram, slat);
	histogram_add(&d->lat_histogram, slat + clat);
}

void account_record(struct loop *l, const struct io *io)
{
	struct log_record *r = log_buffer_next(l->iolog);

	if (r)
		*r = (struct log_record){
			.start_ticks = io->start_ticks, .offset = io->offset, .bytes = io->length,
			.file = io->file, .dir = io->dir, .data_only = io->data_only,
		};
}

static void count_priority(struct loop *l, const struct io *io, uint64_t now)
{
	const uint64_t begin = l->job->report.lat_percentiles ? io->start_ticks
							      : io->issue_ticks;

	dir_stats_add_priority(&l->stats->dirs[io->dir], priority_of(l, io),
			       clock_between_ns(begin, now));
}

void account_extras(struct loop *l, uint32_t n, uint64_t now)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct io *io = l->done[i];

		if (!account_whole(io, true))
			continue;
		if (l->log)
			log_io(l, io, now);
		if (l->needs.priorities)
			count_priority(l, io, now);
		if (l->needs.each_lat)
			add_histograms(l, io, clock_between_ns(io->issue_ticks, now));
	}
}

static bool moved_all(const struct io *io)
{
	return io->dir != DIR_SYNC && io->result == (int32_t)io->length;
}

static void account_intended(struct loop *l, const struct io *io, uint64_t now)
{
	struct dir_stats *d = &l->stats->dirs[io->dir];
	const uint64_t lat = clock_between_ns(io->due_ticks, now);

	moments_add(&d->intended, lat);
	histogram_add(&d->intended_histogram, lat);
}

static void account_too_long(struct loop *l, const struct io *io, uint64_t lat_ns)
{
	char text[PATH_MAX + 128];

	if (l->error)
		return;
	loop_fail(l, ETIMEDOUT);
	worker_error(l->shared, ETIMEDOUT, "%s: max_latency: %s took %" PRIu64 " ns, more than %"
		     PRIu64, l->job->name, io_words(l, io, text, sizeof(text)), lat_ns,
		     l->job->latency.max_ns[io->dir]);
}

static void account_end_time(struct loop *l, const struct io *io, uint64_t lat_ns)
{
	if (l->job->latency.max_ns[io->dir] && lat_ns > l->job->latency.max_ns[io->dir])
		account_too_long(l, io, lat_ns);
	if (l->job->latency.target_ns)
		latency_target_count(l, lat_ns);
}

/* A job ends at the first bad block, or at the end, as it asks; the first one is told. */
static void account_damage(struct loop *l, const struct verify_found *found)
{
	const bool passed = passes(l, ERROR_VERIFY, EILSEQ);

	worker_stats_error(l->stats, EILSEQ, 1);
	worker_error(l->shared, passed ? 0 : EILSEQ, "%s: verify: %s ('%s')", l->job->name,
		     found->fault.text, found->path);
	if (!passed)
		l->slow.checking.error = EILSEQ;
	if (l->job->verify.fatal && passed)
		atomic_store(l->stop, 1);
	else if (l->job->verify.fatal)
		loop_fail(l, EILSEQ);
}

void account_found(struct loop *l, bool all)
{
	struct verify_found found;

	while (loop_verify_found(l, &found, all))
		account_damage(l, &found);
}

static void account_verify(struct loop *l, const struct io *io)
{
	struct verify_found found;

	if (loop_verify_look(l, io, &found))
		account_damage(l, &found);
	account_found(l, false);
}

void account_slow(struct loop *l, uint32_t n, uint64_t now)
{
	/* Nothing was kept of what was written to an engine without files. */
	const bool reads_are_checked = l->job->verify.method &&
				       !engine_is_diskless(l->engine.ops) &&
				       (l->slow.checking.on || !(l->job->rw & RW_WRITE));

	for (uint32_t i = 0; i < n; i++) {
		const struct io *io = l->done[i];

		if (l->slow.flying)
			l->slow.flying[io->slot].length = 0;
		l->slow.trims -= io->dir == DIR_TRIM;
		if (io->result < 0 && l->job->verify.method)
			loop_verify_failed(l, io);
		loop_verify_done(l, io);
		if (l->needs.locks)
			file_locks_done(l, io);
		if (!moved_all(io))
			continue;
		if (io->due_ticks)
			account_intended(l, io, now);
		if (l->needs.each_end)
			account_end_time(l, io, clock_between_ns(io->start_ticks, now));
		if (reads_are_checked && io->dir == DIR_READ)
			account_verify(l, io);
	}
}
