/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_ACCOUNT_H
#define IOGATE_ACCOUNT_H

#include "clock.h"
#include "loop.h"

/* Completed I/Os of one batch and direction: they share their clock reads, so they
 * are counted at once. */
struct account_run {
	uint64_t start_ticks, issue_ticks, count, bytes;
	uint8_t dir;
};

/* A counter of one core may lag another's by a few ticks: never a negative time. */
static inline uint64_t account_ns(uint64_t from, uint64_t to)
{
	return to > from ? clock_ticks_to_ns(to - from) : 0;
}

static inline void account_run(struct loop *l, const struct account_run *r, uint64_t now)
{
	struct dir_stats *d = &l->stats->dirs[r->dir];
	const uint64_t clat = account_ns(r->issue_ticks, now);
	uint64_t lat = clat;

	d->ios += r->count;
	d->bytes += r->bytes;
	moments_add_n(&d->clat, clat, r->count);
	histogram_add_n(&d->clat_histogram, clat, r->count);
	if (!l->synchronous) {
		const uint64_t slat = account_ns(r->start_ticks, r->issue_ticks);

		moments_add_n(&d->slat, slat, r->count);
		lat += slat;
	}
	moments_add_n(&d->lat, lat, r->count);
}

/* In flight at each of n issues that follow `before` others. */
void account_depth(struct worker_stats *s, uint32_t before, uint32_t n);
/* I/Os per submit or reap call. */
uint32_t account_level(uint32_t n);
/* What is not a full transfer: short, at the end of the file, failed, or a sync. */
void account_odd(struct loop *l, const struct io *io, uint64_t now);

#endif
