/* SPDX-License-Identifier: Apache-2.0 */
#include "account.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static uint32_t log2_floor(uint32_t value)
{
	return 31 - (uint32_t)__builtin_clz(value);
}

/* Level i counts depths 2^i .. 2^(i+1) - 1; the last one all beyond. */
void account_depth(struct worker_stats *s, uint32_t before, uint32_t n)
{
	uint32_t depth = before + 1;
	const uint32_t end = before + n + 1;

	while (depth < end) {
		const uint32_t log = log2_floor(depth);
		const bool last = log >= STATS_DEPTH_LEVELS - 1;
		const uint32_t next = last || end < 2u << log ? end : 2u << log;

		s->depth_levels[last ? STATS_DEPTH_LEVELS - 1 : log] += next - depth;
		depth = next;
	}
}

/* 0, 1-4, 5-8, 9-16, 17-32, 33-64, more. */
uint32_t account_level(uint32_t n)
{
	if (n <= 4)
		return n > 0;
	const uint32_t level = log2_floor(n - 1);

	return level < STATS_DEPTH_LEVELS ? level : STATS_DEPTH_LEVELS - 1;
}

static void account_error(struct loop *l, const struct io *io, int error, const char *what)
{
	worker_stats_error(l->stats, error, 1);
	if (l->error)
		return;
	l->error = error;
	worker_error(l->worker->shared, error, "%s: %s of %u bytes at offset %" PRIu64
		     " of '%s' failed: %s", l->job->name, io_dir_names[io->dir], io->length,
		     io->offset, l->engine.files_count ? l->engine.files[io->file].path : "",
		     what ? what : strerror(error));
}

static void account_sync(struct loop *l, const struct io *io, uint64_t now)
{
	const uint64_t lat = account_ns(io->issue_ticks, now);

	moments_add(&l->stats->sync_lat, lat);
	histogram_add(&l->stats->sync_histogram, lat);
}

static void account_short(struct loop *l, const struct io *io, uint64_t now)
{
	const struct account_run run = {
		.start_ticks = io->start_ticks, .issue_ticks = io->issue_ticks,
		.count = 1, .bytes = (uint64_t)io->result, .dir = io->dir,
	};

	l->stats->dirs[io->dir].short_ios++;
	account_run(l, &run, now);
}

void account_odd(struct loop *l, const struct io *io, uint64_t now)
{
	if (io->result < 0)
		account_error(l, io, -io->result, NULL);
	else if (io->dir == DIR_SYNC)
		account_sync(l, io, now);
	else if (!io->result)
		account_error(l, io, EIO, io->dir == DIR_READ
			      ? "nothing there: the file ends before (was it truncated?)"
			      : "the kernel took nothing");
	else
		account_short(l, io, now);
}
