/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/units.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static void numbers_mean_what_they_say(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} cases[] = {
		{ "0", 0 }, { "4096", 4096 }, { "4k", 4096 }, { "4K", 4096 }, { "4kb", 4096 },
		{ "4ki", 4096 }, { "4KiB", 4096 }, { "1.5k", 1536 }, { " 64k", 65536 },
		{ "64 k\t", 65536 }, { "0x1000", 4096 }, { "0x10k", 16384 }, { "7b", 7 },
		{ "1m", 1 << 20 }, { "1MiB", 1 << 20 }, { "2g", UINT64_C(2) << 30 },
		{ "3t", UINT64_C(3) << 40 }, { "1p", UINT64_C(1) << 50 },
		{ "18446744073709551615", UINT64_MAX }, { "16383p", UINT64_C(16383) << 50 },
		{ "(4k*2)", 8192 }, { "2*4k+512", 8704 }, { "2^3^2", 512 }, { "(1+2)k", 3072 },
		{ "0X1f", 31 }, { "10%3", 1 }, { "10 % 3", 1 }, { "8/2", 4 }, { "5--3", 8 },
		{ "+5", 5 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err = { 0 };
		uint64_t value = 1;

		if (units_number(cases[i].text, 1024, &value, &err))
			fail_msg("'%s': %s", cases[i].text, err.text);
		if (value != cases[i].value)
			fail_msg("'%s' is %llu", cases[i].text, (unsigned long long)value);
	}
}

static void wrong_numbers_are_errors(void **state)
{
	static const struct {
		const char *text, *reason;
	} cases[] = {
		{ "", "missing" }, { " ", "missing" }, { "k", "number is expected" },
		{ "4x", "no unit 'x'" }, { "4kk", "no unit 'kk'" }, { "4 k 3", "more after" },
		{ "16384p", "too large" }, { "18446744073709551616", "too large" },
		{ "0x10000000000000000", "too large" }, { "-1", "below zero" },
		{ "1.5", "whole number" }, { "4k-8k", "below zero" }, { "5%", "more after" },
		{ "1/0", "division by zero" }, { "(1", "')' is missing" }, { "1)", "more after" },
		{ "inf", "number is expected" }, { "nan", "number is expected" },
		{ ".", "number is expected" }, { "2^9999", "too large" }, { "4sec", "no unit" },
		{ "0x1p4", "more after" }, { "0X1p4", "more after" }, { "0x1.8", "more after" },
		{ "((((((((((((((((((((((((((((((((((1", "nested" },
		{ "--------------------------------------------1", "nested" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err = { 0 };
		uint64_t value;

		if (!units_number(cases[i].text, 1024, &value, &err))
			fail_msg("'%s' was read as %llu", cases[i].text,
				 (unsigned long long)value);
		if (!strstr(err.text, cases[i].reason))
			fail_msg("'%s': %s", cases[i].text, err.text);
	}
}

/* A limit of depth is none of length. */
static void many_terms_are_no_nesting(void **state)
{
	static const char *const terms[] = { "+1", "+1^1", "+(1)", "+-1" };

	(void)state;
	for (size_t i = 0; i < COUNT(terms); i++) {
		char text[1024] = "100";
		struct err err = { 0 };
		uint64_t value;

		for (int j = 0; j < 50; j++)
			strcat(text, terms[i]);
		if (units_number(text, 1024, &value, &err))
			fail_msg("%s", err.text);
		assert_int_equal(value, i == 3 ? 50 : 150);
	}
}

static void iec_units_ignore_kb_base(void **state)
{
	uint64_t value;

	(void)state;
	assert_int_equal(units_number("4k", 1000, &value, NULL), 0);
	assert_int_equal(value, 4000);
	assert_int_equal(units_number("4KiB", 1000, &value, NULL), 0);
	assert_int_equal(value, 4096);
}

static void times_need_no_guessing(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} cases[] = {
		{ "10", 10000000000 }, { "10s", 10000000000 }, { "2sec", 2000000000 },
		{ "1min", 60000000000 }, { "1m", 60000000000 }, { "1M", 60000000000 },
		{ "1.5", 1500000000 }, { "100ms", 100000000 }, { "7us", 7000 }, { "9ns", 9 },
		{ "2h", 7200000000000 }, { "1d", 86400000000000 }, { "3 minutes", 180000000000 },
		{ "(2*30s)", 60000000000 }, { "(2*30)", 60000000000 }, { "0", 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err = { 0 };
		uint64_t ns;

		if (units_time(cases[i].text, 1000000000, &ns, &err))
			fail_msg("'%s': %s", cases[i].text, err.text);
		if (ns != cases[i].ns)
			fail_msg("'%s' is %llu ns", cases[i].text, (unsigned long long)ns);
	}
}

static void wrong_times_are_errors(void **state)
{
	static const char *const cases[] = { "", "2k", "5 fortnights", "-1s", "9999999999d" };
	uint64_t ns;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_not_equal(units_time(cases[i], 1000, &ns, NULL), 0);
}

static void a_size_is_bytes_percent_or_zones(void **state)
{
	struct size_value v;

	(void)state;
	assert_int_equal(units_size("1g", 1024, &v, NULL), 0);
	assert_true(v.bytes == 1 << 30 && !v.percent && !v.zones);
	assert_int_equal(units_size("50 %", 1024, &v, NULL), 0);
	assert_true(!v.bytes && v.percent == 50 && !v.zones);
	assert_int_equal(units_size("3z", 1024, &v, NULL), 0);
	assert_true(!v.bytes && !v.percent && v.zones == 3);
	assert_int_equal(units_size("100%", 1024, &v, NULL), 0);
	assert_true(!v.bytes && v.percent == 100 && !v.zones);
	assert_int_equal(units_size("4294967295Z", 1024, &v, NULL), 0);
	assert_true(!v.bytes && !v.percent && v.zones == UINT32_MAX);
	assert_int_equal(units_size("0", 1024, &v, NULL), 0);
	assert_true(!v.bytes && !v.percent && !v.zones);
	assert_int_equal(units_size("50%%", 1024, &v, NULL), 0);
	assert_true(!v.bytes && v.percent == 50 && !v.zones);
	assert_int_not_equal(units_size("50%%%", 1024, &v, NULL), 0);
	assert_int_not_equal(units_size("x", 1024, &v, NULL), 0);
	assert_int_not_equal(units_size("-1", 1024, &v, NULL), 0);
	assert_int_not_equal(units_size("1.5%", 1024, &v, NULL), 0);
	assert_int_not_equal(units_size("5% %", 1024, &v, NULL), 0);
	assert_int_not_equal(units_size("101%", 1024, &v, NULL), 0);
	assert_int_not_equal(units_size("4k%", 1024, &v, NULL), 0);
	assert_int_not_equal(units_size("4294967296z", 1024, &v, NULL), 0);
}

static void percents_stop_at_100(void **state)
{
	uint32_t percent;

	(void)state;
	assert_int_equal(units_percent("37%", &percent, NULL), 0);
	assert_int_equal(percent, 37);
	assert_int_equal(units_percent(" 100 ", &percent, NULL), 0);
	assert_int_equal(percent, 100);
	assert_int_not_equal(units_percent("101", &percent, NULL), 0);
	assert_int_not_equal(units_percent("x", &percent, NULL), 0);
	assert_int_equal(units_percent("12.9", &percent, NULL), 0);
	assert_int_equal(percent, 12);
	assert_int_not_equal(units_percent("-0.5", &percent, NULL), 0);
	assert_int_equal(units_percent("5%%", &percent, NULL), 0);
	assert_int_equal(percent, 5);
	assert_int_not_equal(units_percent("5%%%", &percent, NULL), 0);
	assert_int_not_equal(units_percent("5%x", &percent, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_mean_what_they_say),
		cmocka_unit_test(wrong_numbers_are_errors),
		cmocka_unit_test(many_terms_are_no_nesting),
		cmocka_unit_test(iec_units_ignore_kb_base),
		cmocka_unit_test(times_need_no_guessing),
		cmocka_unit_test(wrong_times_are_errors),
		cmocka_unit_test(a_size_is_bytes_percent_or_zones),
		cmocka_unit_test(percents_stop_at_100),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
