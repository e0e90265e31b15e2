/* SPDX-License-Identifier: Apache-2.0 */
#include "run/snapshot.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "stats/clock.h"

static atomic_bool requested;

struct snapshot {
	struct result result;
	struct worker_stats *stats;	/* one a row */
};

static int allocate(struct snapshot *s, const struct result *from)
{
	const size_t count = from->rows_count;

	s->result = *from;
	s->result.memory = NULL;
	s->result.rows = calloc(count + 1, sizeof(*s->result.rows));
	s->result.disks = NULL;
	s->result.disks_count = 0;
	s->stats = calloc(count + 1, sizeof(*s->stats));
	if (!s->result.rows || !s->stats)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		s->result.rows[i] = from->rows[i];
		s->result.rows[i].stats = &s->stats[i];
		worker_stats_init(&s->stats[i]);
		rows_settle_rates(&s->result.rows[i]);
	}
	return 0;
}

/* What the worker itself does at its end. */
static void close_copy(struct worker_stats *copy, const struct member *m, uint64_t now)
{
	worker_stats_settle(copy, engine_is_sync(m->worker.job->ops),
			    m->worker.job->depth.iodepth == 1);
	copy->runtime_ns = copy->all_runtimes_ns = now - m->worker.shared->begin_ns;
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++)
		copy->dirs[dir].runtime_ns = copy->dirs[dir].ios ? copy->runtime_ns : 0;
}

static void add_member(struct snapshot *s, const struct member *m, struct worker_stats *room,
		       uint64_t now)
{
	const struct worker_shared *w = m->worker.shared;
	const bool done = atomic_load_explicit(&w->state, memory_order_acquire) == WORKER_DONE;
	struct job_result *row = &s->result.rows[m->row];

	rows_note_member(row, m, now);
	if (!done && (!worker_measures(w) || !w->begin_ns))
		return;
	*room = w->stats;
	if (!done)
		close_copy(room, m, now);
	rows_leave_out(room, m->worker.job);
	worker_stats_merge(row->stats, room);
}

static bool take(struct snapshot *s, const struct snapshots *from, uint64_t now)
{
	struct worker_stats *room = malloc(sizeof(*room));

	if (!room || allocate(s, from->rows->result)) {
		free(room);
		return false;
	}
	for (uint32_t i = 0; i < from->workers->count; i++)
		add_member(s, &from->workers->members[i], room, now);
	free(room);
	disk_watch_look(from->disks, &s->result.disks, &s->result.disks_count);
	s->result.end_unix_ms = clock_unix_ms();
	return true;
}

/* Without memory there is no snapshot this time: that is no reason to end a run. */
static void hand_over(const struct snapshots *from, uint64_t now)
{
	struct snapshot s = { .stats = NULL };

	if (from->options->look && take(&s, from, now))
		from->options->look(from->options->say_context, &s.result);
	free(s.result.rows);
	free(s.result.disks);
	free(s.stats);
}

void snapshots_request(void)
{
	requested = true;
}

uint64_t snapshots_tick(struct snapshots *s, uint64_t now_ns)
{
	const uint64_t interval_ns = s->options->look_interval_ns;

	if (atomic_exchange(&requested, false))
		hand_over(s, now_ns);
	if (!interval_ns)
		return UINT64_MAX;
	if (!s->due_ns)
		s->due_ns = now_ns + interval_ns;
	if (now_ns < s->due_ns)
		return s->due_ns;
	hand_over(s, now_ns);
	while (s->due_ns <= now_ns)
		s->due_ns += interval_ns;
	return s->due_ns;
}
