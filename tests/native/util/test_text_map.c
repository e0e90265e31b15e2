/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/text_map.h"

enum { NAMES = 5000 };

static void values_are_found_however_many_there_are(void **state)
{
	struct arena *memory = arena_new();
	struct text_map map = { 0 };
	static int values[NAMES];

	(void)state;
	for (int i = 0; i < NAMES; i++) {
		void **value = text_map_at(&map, arena_format(memory, "job%d", i), memory);

		assert_null(*value);
		*value = &values[i];
	}
	for (int i = 0; i < NAMES; i++)
		assert_ptr_equal(*text_map_at(&map, arena_format(memory, "job%d", i), memory),
				 &values[i]);
	assert_null(text_map_get(&map, "none"));
	assert_ptr_equal(text_map_get(&map, "job17"), &values[17]);
	assert_int_equal(map.count, NAMES);
	arena_free(memory);
}

static void the_empty_name_is_a_name(void **state)
{
	struct arena *memory = arena_new();
	struct text_map map = { 0 };
	int value = 0;

	(void)state;
	*text_map_at(&map, "", memory) = &value;
	assert_ptr_equal(*text_map_at(&map, "", memory), &value);
	assert_null(*text_map_at(&map, "a", memory));
	arena_free(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_found_however_many_there_are),
		cmocka_unit_test(the_empty_name_is_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
