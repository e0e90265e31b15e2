/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#include "confine/plan.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static int parse(struct confine_plan *p, const char *text, struct err *err)
{
	return confine_plan_parse(p, text, strlen(text), err);
}

static void a_plan_says_what_may_be_reached(void **state)
{
	struct confine_plan p;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(parse(&p, "confine/1\n"
			       "place block rw 0:6 94 7:3 729 67108864 /dev/loop3\n"
			       "place directory ro 254:0 12 0:0 0 0 /a b/c\n\n"
			       "place directory rwl 254:0 12 0:0 0 0 /d\n"
			       "read /usr\nread /\nset A=b=c d\nkeep TOKEN\n"
			       "capability sys_nice\nnetwork host\nfd 7\nflush /dev/loop3\n"
			       "claim /dev/loop3\n"
			       "connect tcp 9000\nconnect tcp 65535\nbind tcp 1\n"
			       "require landlock\nrequire read-only\n"
			       "require processes\nrequire calls", &err), 0);
	assert_int_equal(p.places_count, 3);
	assert_int_equal(p.places[0].kind, PLACE_BLOCK);
	assert_true(p.places[0].writable);
	assert_int_equal(p.places[0].device, makedev(0, 6));
	assert_int_equal(p.places[0].inode, 94);
	assert_int_equal(p.places[0].rdev, makedev(7, 3));
	assert_int_equal(p.places[0].diskseq, 729);
	assert_int_equal(p.places[0].size_bytes, 67108864);
	assert_string_equal(p.places[0].path, "/dev/loop3");
	assert_int_equal(p.places[1].kind, PLACE_DIRECTORY);
	assert_false(p.places[1].writable);
	assert_false(p.places[0].links);
	assert_true(p.places[2].writable);
	assert_true(p.places[2].links);
	assert_string_equal(p.places[1].path, "/a b/c");
	assert_int_equal(p.reads.count, 2);
	assert_string_equal(p.sets.at[0], "A=b=c d");
	assert_string_equal(p.keeps.at[0], "TOKEN");
	assert_string_equal(p.flushes.at[0], "/dev/loop3");
	assert_string_equal(p.claims.at[0], "/dev/loop3");
	assert_int_equal(p.capabilities, UINT64_C(1) << 23);
	assert_true(p.host_network);
	assert_int_equal(p.connects.count, 2);
	assert_int_equal(p.connects.at[1], 65535);
	assert_int_equal(p.binds.count, 1);
	assert_int_equal(p.binds.at[0], 1);
	assert_int_equal(p.fds_count, 1);
	assert_int_equal(p.fds[0], 7);
	assert_int_equal(p.required, LAYER_LANDLOCK | LAYER_READ_ONLY |
				     LAYER_PROCESSES | LAYER_CALLS);
	confine_plan_release(&p);
}

static void a_wrong_plan_is_an_error_with_its_line(void **state)
{
	static const struct {
		const char *text, *reason;
	} cases[] = {
		{ "", "does not begin with confine/1" },
		{ "confine/2\n", "another version" },
		{ "confine/1\n\nwrite /", "line 3 of the plan: unknown word 'write'" },
		{ "confine/1\nplace disk rw 0:6 1 7:0 1 1 /dev/x", "no kind of place: 'disk'" },
		{ "confine/1\nplace block w 0:6 1 7:0 1 1 /dev/x", "neither ro, rw nor rwl: 'w'" },
		{ "confine/1\nplace block rw 06 1 7:0 1 1 /dev/x", "no major:minor: '06'" },
		{ "confine/1\nplace block rw 0:6 x 7:0 1 1 /dev/x", "no number" },
		{ "confine/1\nplace block rw 0:6 1 7:0 1 99999999999999999999 /dev/x",
		  "too large" },
		{ "confine/1\nplace block rw 0:6 1 7:0 1 1", "no absolute path" },
		{ "confine/1\nplace new ro 0:6 1 0:0 0 0 /x", "may not be written" },
		{ "confine/1\nread usr", "no absolute path" },
		{ "confine/1\nread /usr/../root", "'.' and '..'" },
		{ "confine/1\nread /usr/.", "no absolute path" },
		{ "confine/1\nread /usr/", "no absolute path" },
		{ "confine/1\nread /usr//lib", "no absolute path" },
		{ "confine/1\nset =x", "no NAME=VALUE" },
		{ "confine/1\nkeep A=b", "no name of a variable" },
		{ "confine/1\ncapability sys_admin", "no capability that can be kept" },
		{ "confine/1\nnetwork all", "no network: 'all'" },
		{ "confine/1\nconnect udp 53", "no protocol that can be held: 'udp'" },
		{ "confine/1\nconnect 53", "no protocol" },
		{ "confine/1\nconnect tcp", "a number is missing" },
		{ "confine/1\nconnect tcp 0", "port 0" },
		{ "confine/1\nbind tcp 65536", "too large" },
		{ "confine/1\nbind tcp 80 81", "no number" },
		{ "confine/1\nfd -1", "no number" },
		{ "confine/1\nfd 65536", "too large" },
		{ "confine/1\nfd ", "a number is missing" },
		{ "confine/1\nrequire seccomp", "no layer: 'seccomp'" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct confine_plan p;
		struct err err = { 0 };

		if (!parse(&p, cases[i].text, &err))
			fail_msg("'%s' was taken", cases[i].text);
		if (!strstr(err.text, cases[i].reason))
			fail_msg("'%s': %s", cases[i].text, err.text);
		confine_plan_release(&p);
	}
}

static void there_is_a_most_of_everything(void **state)
{
	static const char *const lines[] = {
		"place file rw 0:1 1 0:0 0 0 /x\n", "read /x\n", "set A=b\n", "fd 3\n",
		"connect tcp 9\n", "bind tcp 9\n",
	};
	static char text[2 * PLAN_BYTES_MAX];

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		struct confine_plan p;
		struct err err = { 0 };

		strcpy(text, "confine/1\n");
		for (unsigned n = 0; n <= PLAN_TEXTS_MAX; n++)
			strcat(text, lines[i]);
		assert_int_not_equal(parse(&p, text, &err), 0);
		assert_non_null(strstr(err.text, "more than"));
		confine_plan_release(&p);
	}
}

static void a_plan_is_not_too_long_and_holds_no_zero(void **state)
{
	static char text[PLAN_BYTES_MAX + 1];
	struct confine_plan p;
	struct err err = { 0 }, other = { 0 };

	(void)state;
	memset(text, '\n', sizeof(text));
	memcpy(text, "confine/1", 9);
	assert_int_not_equal(confine_plan_parse(&p, text, sizeof(text), &err), 0);
	confine_plan_release(&p);
	assert_int_equal(confine_plan_parse(&p, text, PLAN_BYTES_MAX, &other), 0);
	confine_plan_release(&p);
	text[20] = '\0';
	assert_int_not_equal(confine_plan_parse(&p, text, PLAN_BYTES_MAX, &other), 0);
	confine_plan_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plan_says_what_may_be_reached),
		cmocka_unit_test(a_wrong_plan_is_an_error_with_its_line),
		cmocka_unit_test(there_is_a_most_of_everything),
		cmocka_unit_test(a_plan_is_not_too_long_and_holds_no_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
