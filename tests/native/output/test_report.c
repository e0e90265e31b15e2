/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "output/report.h"

static struct worker_stats *new_stats(uint64_t bytes, uint64_t runtime_ns)
{
	struct worker_stats *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	worker_stats_init(s);
	s->dirs[DIR_READ].bytes = bytes;
	s->dirs[DIR_READ].ios = bytes / 4096;
	s->dirs[DIR_READ].runtime_ns = runtime_ns;
	return s;
}

static void rates_are_over_the_direction_s_time(void **state)
{
	struct worker_stats *s = new_stats(8192 * 4096, 500000000);

	(void)state;
	assert_true(report_iops(&s->dirs[DIR_READ]) == 16384);
	assert_int_equal(report_bw_bytes(&s->dirs[DIR_READ]), 2 * 8192 * 4096);
	assert_true(report_iops(&s->dirs[DIR_WRITE]) == 0);
	free(s);
}

static void a_time_that_ran_is_never_zero_ms(void **state)
{
	(void)state;
	assert_int_equal(report_runtime_ms(0), 0);
	assert_int_equal(report_runtime_ms(1), 1);
	assert_int_equal(report_runtime_ms(1500000), 2);
}

static void latency_classes_add_up_over_directions(void **state)
{
	struct worker_stats *s = new_stats(0, 1);
	struct latency_classes c;

	(void)state;
	histogram_add(&s->dirs[DIR_READ].clat_histogram, 3);
	histogram_add(&s->dirs[DIR_READ].clat_histogram, 4000);
	histogram_add(&s->dirs[DIR_WRITE].clat_histogram, 1500000000);
	histogram_add(&s->dirs[DIR_WRITE].clat_histogram, 30000000000);
	s->dirs[DIR_READ].clat.n = 2;
	s->dirs[DIR_WRITE].clat.n = 2;
	report_latency_classes(s, &c);
	assert_true(c.ns[1] == 25);
	assert_true(c.us[1] == 25 || c.us[2] == 25);
	assert_true(c.ms[10] == 25);
	assert_true(c.ms[11] == 25);
	free(s);
}

static void a_group_is_as_long_as_its_longest_job(void **state)
{
	const struct job told = { .report.stats = true }, untold = { .report.stats = false };
	struct job_result rows[] = {
		{ .group_id = 0, .job = &told, .stats = new_stats(1000, 1000000000) },
		{ .group_id = 0, .job = &told, .stats = new_stats(3000, 2000000000) },
		{ .group_id = 0, .job = &untold, .stats = new_stats(7000, 9000000000) },
		{ .group_id = 1, .job = &told, .stats = new_stats(9000, 1000000000) },
	};
	const struct result result = { .rows = rows, .rows_count = 4 };
	struct group_total t;

	(void)state;
	report_group_total(&result, 0, DIR_READ, &t);
	assert_int_equal(t.bytes, 4000);
	assert_int_equal(t.bw_bytes, 2000);
	assert_int_equal(t.bw_min, 1000);
	assert_int_equal(t.bw_max, 1500);
	assert_int_equal(t.runtime_min_ms, 1000);
	assert_int_equal(t.runtime_max_ms, 2000);
	report_group_total(&result, 0, DIR_WRITE, &t);
	assert_int_equal(t.bytes, 0);
	for (int i = 0; i < 4; i++)
		free(rows[i].stats);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_are_over_the_direction_s_time),
		cmocka_unit_test(a_time_that_ran_is_never_zero_ms),
		cmocka_unit_test(latency_classes_add_up_over_directions),
		cmocka_unit_test(a_group_is_as_long_as_its_longest_job),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
