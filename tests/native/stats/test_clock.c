/* SPDX-License-Identifier: Apache-2.0 */
#include "core.h"

#include <math.h>

#include "stats/clock.h"

/* The clock agrees with the kernel's, to and fro, also over a year of ticks. */
static void clock_converts(void **state)
{
	const uint64_t year = 365ull * 86400 * 1000000000;
	uint64_t ticks, ns, back;

	(void)state;
	clock_init(true);
	clock_calibrate();
	ticks = clock_ticks();
	ns = clock_monotonic_ns();
	usleep(20000);
	ticks = clock_ticks_to_ns(clock_ticks() - ticks);
	ns = clock_monotonic_ns() - ns;
	assert_true(fabs((double)ticks / (double)ns - 1) < 0.05);
	back = clock_ticks_to_ns(clock_ns_to_ticks(year));
	assert_true(year - back < 1000 || back - year < 1000);
	assert_true(clock_error_ppm() < 500);
}

/* What waits for so many ns never ends before: nothing is issued early. */
static void a_time_in_ticks_is_never_shorter(void **state)
{
	(void)state;
	clock_init(true);
	clock_calibrate();
	for (uint64_t ns = 1; ns < 1000000000; ns += 1 + ns / 7)
		assert_in_range(clock_ticks_to_ns(clock_ns_to_ticks(ns)), ns, ns + 2);
}

/* Calibrated to CLOCK_PPM_MAX, it stays within it while nothing disturbs it. */
static void a_calibrated_clock_keeps_time(void **state)
{
	(void)state;
	clock_init(true);
	clock_calibrate();
	usleep(20000);
	assert_true(clock_check());
	assert_true(clock_state.tsc == !clock_state.fallback[0]);
}

/* A counter whose rate changes after the calibration, by 500 ppm: the kernel's clock takes
 * over, says why, and goes on in ns. */
static void a_counter_that_drifts_is_left(void **state)
{
	uint64_t ns;

	(void)state;
	clock_init(true);
	clock_calibrate();
	if (!clock_state.tsc)
		skip();
	clock_state.multiplier += clock_state.multiplier / 2000;
	usleep(20000);
	assert_true(clock_error_ppm() > 2 * CLOCK_PPM_MAX);
	assert_false(clock_check());
	assert_string_equal(clock_source_name(), "clock_monotonic");
	assert_non_null(strstr(clock_state.fallback, "ppm off the kernel's clock"));
	ns = clock_monotonic_ns();
	assert_true(clock_ticks() >= ns);
	assert_int_equal(clock_ticks_to_ns(12345), 12345);
	assert_true(clock_check());
}

/* Ends of the calibration that are known too badly are waited for, and at last given up. */
static void a_rate_that_cannot_be_known_is_not_used(void **state)
{
	(void)state;
	clock_init(true);
	if (!clock_state.tsc)
		skip();
	clock_state.start_width_ticks = (uint64_t)1 << 40;
	clock_calibrate();
	assert_string_equal(clock_source_name(), "clock_monotonic");
	assert_non_null(strstr(clock_state.fallback, "20 ppm"));
}

static uint64_t kernel_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void the_clocks_are_those_of_the_kernel(void **state)
{
	uint64_t before = kernel_ns(CLOCK_MONOTONIC), raw = kernel_ns(CLOCK_MONOTONIC_RAW), now;

	(void)state;
	clock_init(false);
	now = clock_monotonic_ns();
	assert_in_range(clock_state.start_ticks, before, now);
	assert_in_range(clock_state.start_raw_ns, raw, kernel_ns(CLOCK_MONOTONIC_RAW));
	assert_in_range(clock_state.start_width_ticks, 0, now - before);
	assert_in_range(now, before, kernel_ns(CLOCK_MONOTONIC));
	before = kernel_ns(CLOCK_REALTIME) / 1000000;
	assert_in_range(clock_unix_ms(), before, kernel_ns(CLOCK_REALTIME) / 1000000);
	now = clock_monotonic_ns();
	before = clock_read_cost_ns();
	assert_in_range(before, 1, (clock_monotonic_ns() - now) / 1000 + 1);
	assert_int_equal(clock_between_ns(5, 12), 7);
	assert_int_equal(clock_between_ns(12, 5), 0);
	assert_int_equal(clock_ns_to_ticks(12345), 12345);
}

static void the_kernel_s_clock_that_was_asked_for_is_no_fallback(void **state)
{
	(void)state;
	clock_init(false);
	clock_calibrate();
	assert_string_equal(clock_source_name(), "clock_monotonic");
	assert_string_equal(clock_state.fallback, "");
	assert_true(clock_check());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clock_converts),
		cmocka_unit_test(a_time_in_ticks_is_never_shorter),
		cmocka_unit_test(a_calibrated_clock_keeps_time),
		cmocka_unit_test(a_counter_that_drifts_is_left),
		cmocka_unit_test(a_rate_that_cannot_be_known_is_not_used),
		cmocka_unit_test(the_clocks_are_those_of_the_kernel),
		cmocka_unit_test(the_kernel_s_clock_that_was_asked_for_is_no_fallback),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
