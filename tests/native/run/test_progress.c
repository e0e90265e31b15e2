/* SPDX-License-Identifier: Apache-2.0 */
#include "core.h"
#include "run/progress.h"

static const uint64_t s = 1000000000;

struct team {
	struct job jobs[3];
	struct member members[3];
	struct worker_shared *shared;
	struct workers workers;
};

/* Jobs of so many seconds, in these groups; all have begun at 1 s. */
static void team_init(struct team *t, const uint64_t *seconds, const uint32_t *groups)
{
	memset(t, 0, sizeof(*t));
	t->shared = calloc(3, sizeof(*t->shared));
	assert_non_null(t->shared);
	t->workers = (struct workers){ .members = t->members, .count = 3 };
	for (int i = 0; i < 3; i++) {
		t->jobs[i] = core_job("null", RW_READ, 1 << 20);
		t->jobs[i].time.runtime_ns = seconds[i] * s;
		t->members[i].worker = (struct worker){ .job = &t->jobs[i], .group = groups[i],
							.shared = &t->shared[i] };
		worker_stats_init(&t->shared[i].stats);
		t->members[i].start_ns = s;
	}
}

static void assert_left(const struct progress *p, double seconds)
{
	assert_true(p->left_ns > (seconds - 0.01) * 1e9 && p->left_ns < (seconds + 0.01) * 1e9);
}

static void the_longest_job_counts(void **state)
{
	static const uint64_t seconds[] = { 1, 10, 4 };
	static const uint32_t groups[] = { 1, 1, 1 };
	struct progress p;
	struct team t;

	(void)state;
	team_init(&t, seconds, groups);
	p = progress_of(&t.workers, 0, 3, s + s / 2);
	assert_left(&p, 9.5);
	assert_true(p.fraction > (0.5 + 0.05 + 0.125) / 3 - 0.001 &&
		    p.fraction < (0.5 + 0.05 + 0.125) / 3 + 0.001);
	t.members[1].gone = true;		/* ended early */
	p = progress_of(&t.workers, 0, 3, s + s / 2);
	assert_left(&p, 3.5);
	free(t.shared);
}

static void groups_add_up(void **state)
{
	static const uint64_t seconds[] = { 1, 10, 4 };
	static const uint32_t groups[] = { 1, 2, 3 };
	struct progress p;
	struct team t;

	(void)state;
	team_init(&t, seconds, groups);
	p = progress_of(&t.workers, 0, 1, s + s / 2);
	assert_left(&p, 14.5);
	p = progress_of(&t.workers, 1, 2, s + s);
	assert_left(&p, 13);
	assert_true(p.fraction > (1 + 0.1) / 3 - 0.001 && p.fraction < (1 + 0.1) / 3 + 0.001);
	free(t.shared);
}

static void bytes_end_a_job_before_its_time(void **state)
{
	static const uint64_t seconds[] = { 0, 10, 10 };
	static const uint32_t groups[] = { 1, 1, 1 };
	struct progress p;
	struct team t;

	(void)state;
	team_init(&t, seconds, groups);
	for (int i = 0; i < 3; i++) {
		t.members[i].planned_bytes = 1000;
		t.shared[i].stats.dirs[DIR_READ].bytes = 500;
	}
	p = progress_of(&t.workers, 0, 3, s + s);
	assert_left(&p, 1);
	assert_true(p.fraction > 0.499 && p.fraction < 0.501);
	free(t.shared);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_longest_job_counts),
		cmocka_unit_test(groups_add_up),
		cmocka_unit_test(bytes_end_a_job_before_its_time),
	};

	return cmocka_run_group_tests(tests, core_setup, core_teardown);
}
