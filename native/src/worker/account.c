/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/account.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

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

static void account_error(struct loop *l, const struct io *io, int error, const char *what)
{
	worker_stats_error(l->stats, error, 1);
	if (l->error)
		return;
	loop_fail(l, error);
	worker_error(l->shared, error, "%s: %s of %u bytes at offset %" PRIu64
		     " of '%s' failed: %s", l->job->name, io_dir_names[io->dir], io->length,
		     io->offset, l->engine.files_count ? l->engine.files[io->file].path : "",
		     what ? what : strerror(error));
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

/* Nothing more comes; what came before the end of the file is an I/O, too. */
static void account_end(struct loop *l, const struct io *io, uint64_t now)
{
	if (io->buffer != io->home)
		account_run(l, io, 1, 0, now, l->synchronous);
	else
		account_error(l, io, EIO, io->dir == DIR_READ
			      ? "nothing there: the file ends before (was it truncated?)"
			      : "the kernel took nothing");
}

bool account_odd(struct loop *l, struct io *io, uint64_t now)
{
	if (io->result < 0) {
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

static void log_io(struct loop *l, const struct io *io, uint64_t now)
{
	struct log_record *r = log_buffer_next(l->log);

	if (!r)
		return;
	*r = (struct log_record){
		.start_ticks = io->start_ticks, .issue_ticks = io->issue_ticks, .done_ticks = now,
		.offset = io->offset, .bytes = io->length, .file = io->file, .dir = io->dir,
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

void account_extras(struct loop *l, uint32_t n, uint64_t now)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct io *io = l->done[i];

		if (!account_whole(io, true))
			continue;
		if (l->log)
			log_io(l, io, now);
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

/* A job ends at the first bad block, or at the end, as it asks; the first one is told. */
static void account_verify(struct loop *l, const struct io *io)
{
	char text[VERIFY_TEXT];

	if (!verify_check(&l->slow.verify, io, text))
		return;
	worker_stats_error(l->stats, EILSEQ, 1);
	worker_error(l->shared, EILSEQ, "%s: verify: %s ('%s')", l->job->name, text,
		     l->engine.files_count ? l->engine.files[io->file].path : "");
	l->slow.verify_error = EILSEQ;
	if (l->job->verify.fatal)
		loop_fail(l, EILSEQ);
}

void account_slow(struct loop *l, uint32_t n, uint64_t now)
{
	const bool reads_are_checked = l->job->verify.method &&
				       (l->slow.verifying || !(l->job->rw & RW_WRITE));

	for (uint32_t i = 0; i < n; i++) {
		const struct io *io = l->done[i];

		if (!moved_all(io))
			continue;
		if (io->due_ticks && !l->slow.verifying)
			account_intended(l, io, now);
		if (reads_are_checked && io->dir == DIR_READ)
			account_verify(l, io);
	}
}
