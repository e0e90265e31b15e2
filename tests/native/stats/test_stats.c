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

static void two_values_have_a_deviation(void **state)
{
	struct moments m;

	(void)state;
	moments_init(&m);
	moments_add(&m, 1);
	moments_add(&m, 3);
	assert_true(fabs(moments_stddev(&m) - sqrt(2)) < 1e-12);
}

/* Three I/Os of 100 ns to hand over and 1000 to do, and what else a worker counts. */
static void fill(struct worker_stats *s)
{
	worker_stats_init(s);
	for (int i = 0; i < DIR_DATA_COUNT; i++) {
		struct dir_stats *d = &s->dirs[i];

		d->all_histograms = true;
		d->ios = 3;
		d->bytes = 12288;
		d->short_ios = 2;
		d->dropped_ios = 4;
		d->runtime_ns = 5000;
		moments_add_n(&d->slat, 100, 3);
		moments_add_n(&d->clat, 1000, 3);
		moments_add_n(&d->lat, 1100, 3);
		moments_add_n(&d->intended, 9000, 2);
		histogram_add_n(&d->slat_histogram, 100, 3);
		histogram_add_n(&d->clat_histogram, 1000, 3);
		histogram_add_n(&d->lat_histogram, 1100, 3);
		histogram_add_n(&d->intended_histogram, 9000, 2);
	}
	moments_add_n(&s->sync_lat, 700, 2);
	histogram_add_n(&s->sync_histogram, 700, 2);
	s->depth_levels[6] = s->submit_levels[6] = s->complete_levels[6] = 7;
	worker_stats_error(s, 5, 8);
	s->runtime_ns = 11;
	s->user_ns = 12;
	s->system_ns = 13;
	s->context_switches = 14;
	s->major_faults = 15;
	s->minor_faults = 16;
}

static void assert_counts(const struct worker_stats *s, uint64_t times)
{
	for (int i = 0; i < DIR_DATA_COUNT; i++) {
		const struct dir_stats *d = &s->dirs[i];

		assert_int_equal(d->ios, 3 * times);
		assert_int_equal(d->bytes, 12288 * times);
		assert_int_equal(d->short_ios, 2 * times);
		assert_int_equal(d->dropped_ios, 4 * times);
		assert_int_equal(d->slat.sum, 300 * times);
		assert_int_equal(d->clat.sum, 3000 * times);
		assert_int_equal(d->lat.sum, 3300 * times);
		assert_int_equal(d->intended.sum, 18000 * times);
		assert_int_equal(histogram_count(&d->slat_histogram), 3 * times);
		assert_int_equal(histogram_count(&d->clat_histogram), 3 * times);
		assert_int_equal(histogram_count(&d->lat_histogram), 3 * times);
		assert_int_equal(histogram_count(&d->intended_histogram), 2 * times);
	}
	assert_int_equal(s->sync_lat.n, 2 * times);
	assert_int_equal(histogram_count(&s->sync_histogram), 2 * times);
	assert_int_equal(s->depth_levels[6], 7 * times);
	assert_int_equal(s->submit_levels[6], 7 * times);
	assert_int_equal(s->complete_levels[6], 7 * times);
	assert_int_equal(s->errors[0].count, 8 * times);
	assert_int_equal(s->user_ns, 12 * times);
	assert_int_equal(s->system_ns, 13 * times);
	assert_int_equal(s->context_switches, 14 * times);
	assert_int_equal(s->major_faults, 15 * times);
	assert_int_equal(s->minor_faults, 16 * times);
}

static void init_forgets_each_count(void **state)
{
	static struct worker_stats s;

	(void)state;
	fill(&s);
	worker_stats_init(&s);
	assert_counts(&s, 0);
	assert_int_equal(s.runtime_ns + s.dirs[DIR_READ].runtime_ns, 0);
	assert_int_equal(s.errors[0].error, 0);
}

/* All is added but runtimes: workers ran at the same time. */
static void merging_adds_each_count(void **state)
{
	static struct worker_stats into, from;

	(void)state;
	worker_stats_init(&into);
	fill(&from);
	worker_stats_merge(&into, &from);
	assert_counts(&into, 1);
	assert_true(into.dirs[DIR_WRITE].all_histograms);
	from.runtime_ns = 10;
	from.dirs[DIR_READ].runtime_ns = 6000;
	worker_stats_merge(&into, &from);
	assert_counts(&into, 2);
	assert_int_equal(into.runtime_ns, 11);
	assert_int_equal(into.dirs[DIR_READ].runtime_ns, 6000);
	assert_int_equal(into.dirs[DIR_WRITE].runtime_ns, 5000);
	assert_int_equal(into.dirs[DIR_READ].clat.min, 1000);
	assert_int_equal(into.dirs[DIR_READ].clat.max, 1000);
}

static void extremes_of_both_are_merged(void **state)
{
	struct moments a, b;

	(void)state;
	for (int i = 0; i < 2; i++) {
		moments_init(&a);
		moments_init(&b);
		moments_add(&a, i ? 1 : 5);
		moments_add(&b, i ? 5 : 1);
		moments_merge(&a, &b);
		assert_true(a.min == 1 && a.max == 5 && a.n == 2);
	}
	moments_init(&a);
	moments_add_n(&a, 5, 2);
	moments_add_n(&a, 3, 2);
	moments_add_n(&a, 7, 2);
	assert_true(a.min == 3 && a.max == 7 && a.sum == 30);
}

static void a_latency_that_is_disabled_is_forgotten_alone(void **state)
{
	static struct worker_stats s;
	struct dir_stats *d = &s.dirs[DIR_READ];

	(void)state;
	fill(&s);
	dir_stats_forget_clat(d);
	assert_int_equal(d->clat.n + d->clat.sum + histogram_count(&d->clat_histogram), 0);
	assert_int_equal(d->slat.n + d->lat.n, 6);
	assert_int_equal(histogram_count(&d->lat_histogram), 3);
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

/* One at a time, an I/O, a sync and an error are each a call of one. */
static void settling_counts_calls_of_one(void **state)
{
	static struct worker_stats s;

	(void)state;
	for (int alone = 0; alone < 2; alone++) {
		struct dir_stats *d = &s.dirs[DIR_WRITE];

		fill(&s);
		d->lat.n = d->slat.n = d->clat.n = 0;
		d->lat.sum = 0;
		worker_stats_settle(&s, false, alone);
		assert_true(d->lat.n == 3 && d->slat.n == 3 && d->clat.n == 3);
		assert_int_equal(d->lat.sum, 3300);
		assert_int_equal(s.depth_levels[0], alone ? 3 * DIR_DATA_COUNT + 2 + 8 : 0);
		assert_int_equal(s.submit_levels[1], s.depth_levels[0]);
		assert_int_equal(s.complete_levels[1], s.depth_levels[0]);
		worker_stats_init(&s);
	}
	fill(&s);
	worker_stats_settle(&s, true, false);
	assert_int_equal(s.dirs[DIR_READ].lat_histogram.buckets[histogram_index(1000)], 3);
	assert_int_equal(s.depth_levels[0], 3 * DIR_DATA_COUNT + 2 + 8);
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
		cmocka_unit_test(two_values_have_a_deviation),
		cmocka_unit_test(init_forgets_each_count),
		cmocka_unit_test(merging_adds_each_count),
		cmocka_unit_test(extremes_of_both_are_merged),
		cmocka_unit_test(a_latency_that_is_disabled_is_forgotten_alone),
		cmocka_unit_test(settling_counts_calls_of_one),
		cmocka_unit_test(init_forgets_all),
		cmocka_unit_test(settling_fills_in),
		cmocka_unit_test(errors_are_counted_by_kind),
		cmocka_unit_test(levels_are_fios),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
