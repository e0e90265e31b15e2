/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/loop_untimed.h"

#include "worker/loop_steps.h"

static void hand_over(struct loop *l, uint32_t n)
{
	const int handed = l->engine.ops->commit(&l->engine);

	if (handed < 0)
		loop_engine_failed(l, handed);
	if (!l->synchronous)
		account_submit(l->stats, l->in_flight, n);
	l->in_flight += n;
}

static void fill(struct loop *l, uint64_t now)
{
	uint32_t n = 0;

	while (l->free_count) {
		if (l->planned_next == l->planned_count && !loop_plan(l))
			break;
		step_take(l, &l->planned[l->planned_next++], now);
		if (++n == l->batch_submit) {
			hand_over(l, n);
			n = 0;
		}
	}
	if (n)
		hand_over(l, n);
}

static void count(struct loop *l, struct io *io, uint64_t now)
{
	struct dir_stats *d = &l->stats->dirs[io->dir];

	if (account_whole(io, false)) {
		d->ios++;
		d->bytes += io->length;
	} else if (!account_odd(l, io, now)) {
		loop_again(l, io);
		return;
	}
	l->free[l->free_count++] = io;
}

static uint32_t complete(struct loop *l, uint64_t now)
{
	const uint32_t min = l->reap_min < l->in_flight ? l->reap_min : l->in_flight;
	const int n = l->engine.ops->reap(&l->engine, min, l->done);

	if (n < 0)
		loop_engine_failed(l, n);
	if (n <= 0)
		return 0;
	if (!l->synchronous)
		l->stats->complete_levels[account_level((uint32_t)n)]++;
	l->in_flight -= (uint32_t)n;
	for (int i = 0; i < n; i++)
		count(l, l->done[i], now);
	return (uint32_t)n;
}

void loop_run_untimed(struct loop *l)
{
	uint64_t now = clock_ticks();

	while (!step_over(l, now)) {
		fill(l, now);
		if (!l->in_flight)
			break;
		complete(l, now);
		now = clock_ticks();
	}
	while (l->in_flight && (complete(l, now) || !l->error))
		;
}
