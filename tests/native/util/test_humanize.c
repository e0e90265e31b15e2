/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/humanize.h"

static void bytes_as_fio_prints_them(void **state)
{
	static const struct { uint64_t bytes; unsigned base; const char *text; } rows[] = {
		{ 0, 1024, "0B" }, { 4096, 1024, "4096B" }, { 65536, 1024, "64.0KiB" },
		{ 4071424, 1024, "3976KiB" }, { 4071424, 1000, "4071kB" },
		{ 61700000, 1024, "58.8MiB" }, { 61700000, 1000, "61.7MB" },
		{ 8192ull << 20, 1024, "8192MiB" }, { 8192ull << 20, 1000, "8590MB" },
		{ 235ull << 30, 1024, "235GiB" }, { UINT64_MAX, 1024, "16.0EiB" },
	};
	char room[HUMANIZE_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(humanize_bytes(room, rows[i].bytes, rows[i].base, 4),
				    rows[i].text);
}

static void counts_as_fio_prints_them(void **state)
{
	static const struct { uint64_t count; int characters; const char *text; } rows[] = {
		{ 0, 4, "0" }, { 5463, 4, "5463" }, { 12800, 4, "12.8k" }, { 293000, 4, "293k" },
		{ 9999, 4, "9999" }, { 10000, 4, "10.0k" },
		{ 555439, 6, "555439" }, { 20251000, 6, "20251k" }, { 1720200, 6, "1720.2k" },
		{ 2646400000, 6, "2646.4M" },
	};
	char room[HUMANIZE_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(humanize_count(room, rows[i].count, rows[i].characters),
				    rows[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_as_fio_prints_them),
		cmocka_unit_test(counts_as_fio_prints_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
