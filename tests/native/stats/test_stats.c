/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "core.h"
#include "stats/stats.h"
#include "worker/account.h"

static void moments_are_mean_and_deviation(void **state)
{
	static const uint64_t values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct moments m, n, other;

	(void)state;
	moments_init(&m);
	moments_init(&n);
	moments_init(&other);
	for (int i = 0; i < 8; i++)
		moments_add(i < 4 ? &m : &other, values[i]);
	moments_merge(&m, &other);
	moments_add_n(&n, 3, 4);
	assert_int_equal(m.n, 8);
	assert_int_equal(m.min, 2);
	assert_int_equal(m.max, 9);
	assert_true(fabs(moments_mean(&m) - 5) < 1e-12);
	assert_true(fabs(moments_stddev(&m) - sqrt(32.0 / 7)) < 1e-12);
	assert_true(moments_mean(&n) == 3 && moments_stddev(&n) == 0 && n.n == 4);
}

/* Squares of hours in ns do not overflow. */
static void moments_hold_long_times(void **state)
{
	const uint64_t hour = 3600ull * 1000000000;
	struct moments m;

	(void)state;
	moments_init(&m);
	moments_add_n(&m, hour, 1000000);
	moments_add_n(&m, 3 * hour, 1000000);
	assert_true(fabs(moments_mean(&m) / (2.0 * (double)hour) - 1) < 1e-9);
	assert_true(fabs(moments_stddev(&m) / (double)hour - 1) < 1e-5);
}

static void empty_moments_are_zero(void **state)
{
	struct moments m;

	(void)state;
	moments_init(&m);
	assert_true(moments_mean(&m) == 0 && moments_stddev(&m) == 0);
	moments_add(&m, 5);
	assert_true(moments_stddev(&m) == 0);
}

static void init_forgets_all(void **state)
{
	static struct worker_stats s;
	struct dir_stats *d = &s.dirs[DIR_WRITE];

	(void)state;
	worker_stats_init(&s);
	for (uint64_t value = 0; value < 1000000; value += 999) {
		moments_add_sums(&d->clat, value, 1);
		histogram_add(&d->clat_histogram, value);
		d->ios++;
	}
	worker_stats_error(&s, 5, 2);
	worker_stats_init(&s);
	assert_int_equal(histogram_count(&d->clat_histogram), 0);
	assert_int_equal(d->ios, 0);
	assert_int_equal(s.errors[0].count, 0);
	assert_true(d->clat.min == UINT64_MAX);
}

static void settling_fills_in(void **state)
{
	static struct worker_stats s;

	(void)state;
	worker_stats_init(&s);
	s.dirs[DIR_READ].ios = 3;
	moments_add_sums(&s.dirs[DIR_READ].clat, 10, 3);
	worker_stats_settle(&s, true, true);
	assert_int_equal(s.dirs[DIR_READ].lat.n, 3);
	assert_int_equal(s.dirs[DIR_READ].lat.sum, 30);
	assert_int_equal(s.dirs[DIR_READ].slat.n, 0);
	assert_int_equal(s.depth_levels[0], 3);
	assert_int_equal(s.submit_levels[1], 3);
}

static void errors_are_counted_by_kind(void **state)
{
	static struct worker_stats a, b;

	(void)state;
	worker_stats_error(&a, 5, 1);
	worker_stats_error(&b, 28, 2);
	worker_stats_error(&b, 5, 4);
	worker_stats_merge(&a, &b);
	assert_int_equal(a.errors[0].error, 5);
	assert_int_equal(a.errors[0].count, 5);
	assert_int_equal(a.errors[1].error, 28);
	assert_int_equal(a.errors[1].count, 2);
	for (int i = 100; i < 200; i++)
		worker_stats_error(&a, i, 1);
	assert_int_equal(a.errors[STATS_ERRNO_MAX - 1].count, 100 - (STATS_ERRNO_MAX - 3));
}

static void levels_are_fios(void **state)
{
	static const uint32_t calls[][2] = {
		{ 0, 0 }, { 1, 1 }, { 4, 1 }, { 5, 2 }, { 8, 2 }, { 9, 3 }, { 16, 3 }, { 17, 4 },
		{ 32, 4 }, { 33, 5 }, { 64, 5 }, { 65, 6 }, { 5000, 6 },
	};
	static struct worker_stats s;

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		assert_int_equal(account_level(calls[i][0]), calls[i][1]);
	account_submit(&s, 0, 100);		/* depths 1 .. 100 */
	account_submit(&s, 100, 1);
	assert_int_equal(s.depth_levels[0], 1);
	assert_int_equal(s.depth_levels[1], 2);
	assert_int_equal(s.depth_levels[2], 4);
	assert_int_equal(s.depth_levels[5], 32);
	assert_int_equal(s.depth_levels[6], 100 - 63 + 1);
	assert_int_equal(s.submit_levels[6], 1);
	assert_int_equal(s.submit_levels[1], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moments_are_mean_and_deviation),
		cmocka_unit_test(moments_hold_long_times),
		cmocka_unit_test(empty_moments_are_zero),
		cmocka_unit_test(init_forgets_all),
		cmocka_unit_test(settling_fills_in),
		cmocka_unit_test(errors_are_counted_by_kind),
		cmocka_unit_test(levels_are_fios),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
