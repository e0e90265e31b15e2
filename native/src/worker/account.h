/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_ACCOUNT_H
#define IOGATE_ACCOUNT_H

#include "stats/clock.h"
#include "worker/loop_state.h"

/* Counts per call, in the levels 0, 1-4, 5-8, 9-16, 17-32, 33-64, more. */
static inline uint32_t account_level(uint32_t n)
{
	if (n <= 4)
		return n > 0;
	const uint32_t level = 31 - (uint32_t)__builtin_clz(n - 1);

	return level < STATS_DEPTH_LEVELS ? level : STATS_DEPTH_LEVELS - 1;
}

/* A depth in the levels 1, 2-3, 4-7, 8-15, 16-31, 32-63, more. */
static inline uint32_t account_depth_level(uint32_t depth)
{
	const uint32_t level = 31 - (uint32_t)__builtin_clz(depth);

	return level < STATS_DEPTH_LEVELS ? level : STATS_DEPTH_LEVELS - 1;
}

/* The depths at each of n issues, the first with `before` others in flight. */
void account_depths(struct worker_stats *s, uint32_t before, uint32_t n);

/* n I/Os handed over in one call. */
static inline void account_submit(struct worker_stats *s, uint32_t before, uint32_t n)
{
	s->submit_levels[account_level(n)]++;
	if (n == 1)
		s->depth_levels[account_depth_level(before + 1)]++;
	else
		account_depths(s, before, n);
}

/* The address is worth a register: left to itself, the compiler computes it anew after
 * each branch. */
#define ACCOUNT_KEEP(pointer) __asm__("" : "+r"(pointer))

/* Count I/Os of one batch and direction: they share their clock reads. */
static inline __attribute__((always_inline))
void account_run(struct loop *l, const struct io *first, uint64_t count,
		 uint64_t bytes, uint64_t now, bool synchronous)
{
	struct dir_stats *d = &l->stats->dirs[first->dir];
	const uint64_t clat = clock_between_ns(first->issue_ticks, now);

	ACCOUNT_KEEP(d);
	d->ios += count;
	d->bytes += bytes;
	moments_add_sums(&d->clat, clat, count);
	histogram_add_n(&d->clat_histogram, clat, count);
	if (!synchronous) {
		const uint64_t slat = clock_between_ns(first->start_ticks, first->issue_ticks);

		moments_add_sums(&d->slat, slat, count);
		moments_add_squares(&d->lat, slat + clat, count);
	}
}

/* Moved all it should: the only kind that the fast path counts. */
static inline bool account_whole(const struct io *io, bool may_sync)
{
	return io->result == (int32_t)io->length && !(may_sync && io->dir == DIR_SYNC);
}

/* What is not a full transfer: short, at the end of the file, failed, or a sync. False:
 * *io is now the rest of a short one, to be queued again; its latency goes on. */
bool account_odd(struct loop *l, struct io *io, uint64_t now);

/* What only some jobs ask of the n I/Os that were reaped at `now`: a log of each, and
 * histograms of slat and lat. */
void account_extras(struct loop *l, uint32_t n, uint64_t now);
/* Of write_iolog: this one is about to be issued. */
void account_record(struct loop *l, const struct io *io);

/* What the general loop knows more of n I/Os that were reaped: intended starts, and what
 * verify finds. */
void account_slow(struct loop *l, uint32_t n, uint64_t now);
/* What threads of verify found by now, or, with all, at the end. */
void account_found(struct loop *l, bool all);

#endif
