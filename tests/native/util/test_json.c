/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "util/json.h"

/* What `write` puts on a stream, as text to be freed. */
static char *written(void (*write)(struct json *j))
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct json j;

	assert_non_null(out);
	json_init(&j, out);
	write(&j);
	fclose(out);
	return text;
}

static void write_nested(struct json *j)
{
	json_object_begin(j, NULL);
	json_uint(j, "n", UINT64_MAX);
	json_list_begin(j, "jobs");
	json_object_begin(j, NULL);
	json_bool(j, "ok", true);
	json_object_end(j);
	json_list_end(j);
	json_array_begin(j, "bins");
	json_array_begin(j, NULL);
	json_int(j, NULL, -1);
	json_uint(j, NULL, 2);
	json_array_end(j);
	json_array_begin(j, NULL);
	json_array_end(j);
	json_array_end(j);
	json_object_end(j);
}

static void levels_commas_and_lines(void **state)
{
	char *text = written(write_nested);

	(void)state;
	assert_string_equal(text,
		"{\n  \"n\" : 18446744073709551615,\n  \"jobs\" : [\n    {\n      \"ok\" : true\n"
		"    }\n  ],\n  \"bins\" : [[-1,2],[]]\n}\n");
	free(text);
}

static void write_hostile(struct json *j)
{
	json_object_begin(j, NULL);
	json_text(j, "a\"b", "\\ \n \x01 \xc3\xa9");
	json_object_end(j);
}

static void text_is_escaped(void **state)
{
	char *text = written(write_hostile);

	(void)state;
	assert_string_equal(text, "{\n  \"a\\\"b\" : \"\\\\ \\u000a \\u0001 \xc3\xa9\"\n}\n");
	free(text);
}

static void write_floats(struct json *j)
{
	json_array_begin(j, NULL);
	json_float(j, NULL, 1.5);
	json_float(j, NULL, (double)NAN);
	json_float(j, NULL, (double)INFINITY);
	json_array_end(j);
}

/* JSON has no words for them, and a reader must not stumble. */
static void not_finite_is_zero(void **state)
{
	char *text = written(write_floats);

	(void)state;
	assert_string_equal(text, "[1.500000,0.000000,0.000000]\n");
	free(text);
}

static void write_bytes(struct json *j)
{
	json_array_begin(j, NULL);
	json_text(j, NULL, "a\xff" "b\xc3");			/* never; cut off */
	json_text(j, NULL, "\xc0\x80\xe0\x80\x80");		/* overlong */
	json_text(j, NULL, "\xed\xa0\x80");			/* a surrogate */
	json_text(j, NULL, "\xf4\x90\x80\x80");			/* past the last */
	json_text(j, NULL, "\xed\x9f\xbf\xe2\x82\xac\xf0\x9f\x98\x80");
	json_array_end(j);
}

/* Names of files are bytes: each that belongs to no character becomes U+FFFD. */
static void what_is_no_utf8_is_replaced(void **state)
{
	char *text = written(write_bytes);

	(void)state;
#define BAD "\xef\xbf\xbd"
	assert_string_equal(text, "[\"a" BAD "b" BAD "\",\"" BAD BAD BAD BAD BAD "\",\""
			    BAD BAD BAD "\",\"" BAD BAD BAD BAD "\",\""
			    "\xed\x9f\xbf\xe2\x82\xac\xf0\x9f\x98\x80\"]\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_commas_and_lines),
		cmocka_unit_test(text_is_escaped),
		cmocka_unit_test(not_finite_is_zero),
		cmocka_unit_test(what_is_no_utf8_is_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
