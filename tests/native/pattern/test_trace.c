/* SPDX-License-Identifier: Apache-2.0 */
#include "core.h"
#include "pattern/pattern.h"
#include "pattern/trace.h"

static int parse(struct trace *t, const struct job *job, const char *text, struct err *err)
{
	*err = (struct err){ 0 };
	return trace_parse(t, job, "log", text, strlen(text), err);
}

static void version_3_has_times(void **state)
{
	const struct job job = core_job("psync", RW_READ, 0);
	struct trace t;
	struct err err;

	(void)state;
	assert_int_equal(parse(&t, &job, "fio version 3 iolog\n"
			       "1 /a add\n2 /b:c add\n2 /idle add\n3 /a open\n"
			       "10 /a read 0 4096\n20 /b:c write 8192 512\n15 /a sync 0 0\n"
			       "30 /a datasync 0 0\n\n40 /a close\n", &err), 0);
	assert_int_equal(t.count, 4);
	assert_int_equal(t.files_count, 2);
	assert_string_equal(t.files[1].path, "/b:c");
	assert_int_equal(t.files[1].end_bytes, 8704);
	assert_int_equal(t.rw, RW_READ | RW_WRITE);
	assert_int_equal(t.bytes, 4608);
	assert_int_equal(t.ios[0].due_ns, 10000);
	assert_int_equal(t.ios[2].due_ns, 20000);	/* never back */
	assert_true(t.ios[2].dir == DIR_SYNC && !t.ios[2].data_only && t.ios[3].data_only);
	assert_true(t.length_max[DIR_READ] == 4096 && t.length_max[DIR_WRITE] == 512);
	trace_release(&t);
}

static void version_2_has_pauses(void **state)
{
	const struct job job = core_job("psync", RW_READ, 0);
	struct trace t;
	struct err err;

	(void)state;
	assert_int_equal(parse(&t, &job, "fio version 2 iolog\n/a add\n/a open\n"
			       "/a read 0 4096\n/a wait 500 0\n/a read 4096 4096\n"
			       "/a wait 250\n/a read 0 4096\n/a close", &err), 0);
	assert_int_equal(t.count, 3);
	assert_int_equal(t.ios[0].due_ns, 0);
	assert_int_equal(t.ios[1].due_ns, 500000);
	assert_int_equal(t.ios[2].due_ns, 750000);
	trace_release(&t);
}

static void replay_options_change_it(void **state)
{
	static const char text[] = "fio version 3 iolog\n0 /a add\n0 /b add\n"
				   "100 /a read 10000 4096\n200 /b write 20000 4096\n"
				   "300 /a datasync 0 0\n400 /b trim 0 4096\n";
	struct job job = core_job("psync", RW_READ, 0);
	struct trace t;
	struct err err;

	(void)state;
	job.replay.skip = 1u << DIR_TRIM | 1u << DIR_SYNC;
	job.replay.redirect = "/c";
	job.replay.scale = 2;
	job.replay.align = 4096;
	job.replay.time_scale = 200;
	assert_int_equal(parse(&t, &job, text, &err), 0);
	assert_int_equal(t.count, 2);
	assert_int_equal(t.files_count, 1);
	assert_string_equal(t.files[0].path, "/c");
	assert_true(t.ios[0].offset == 4096 && t.ios[1].offset == 8192);
	assert_true(t.ios[0].due_ns == 50000 && t.ios[1].due_ns == 100000);
	assert_int_equal(t.files[0].end_bytes, 12288);
	trace_release(&t);
	job.replay.no_stall = true;
	assert_int_equal(parse(&t, &job, text, &err), 0);
	assert_int_equal(t.ios[1].due_ns, 0);
	trace_release(&t);
}

static void bad_logs_name_the_line(void **state)
{
	static const struct {
		const char *text, *reason;
	} cases[] = {
		{ "", "no I/O log" }, { "0, 4096, 4096\n", "no I/O log" },
		{ "fio version 1 iolog\n", "no I/O log" },
		{ "fio version 3 iolog\n0 /a add\n", "no I/O to replay" },
		{ "fio version 3 iolog\n0 /a read 0 4096\n", "log:2: the file '/a' was not added" },
		{ "fio version 3 iolog\n0 /a add\n0 /a wait 5 0\n", "log:3: 'wait' is not one of" },
		{ "fio version 3 iolog\n0 /a add\n0 /a read 0\n", "log:3: an offset and a length" },
		{ "fio version 3 iolog\n0 /a add\n0 /a read 0 0\n", "log:3: a length of 0" },
		{ "fio version 3 iolog\n0 /a add\n0 /a read 9223372036854775807 4096\n",
		  "is too large" },
		{ "fio version 3 iolog\n0 /a add\n0 /a read 99999999999999999999 1\n",
		  "an offset and a length" },
		{ "fio version 3 iolog\nx /a add\n", "log:2: 'x' is no time" },
		{ "fio version 3 iolog\n0 /a b c d e\n", "cannot hold blanks" },
		{ "fio version 3 iolog\n5\n", "log:2: a file and an action" },
		{ "fio version 2 iolog\n/a add\n/a wait -5\n", "microseconds" },
		{ "fio version 2 iolog\n/a add\n/a wait 9000000000000000\n"
		  "/a wait 9000000000000000\n", "log:4: the waits up to here are too long" },
	};
	const struct job job = core_job("psync", RW_READ, 0);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct trace t;
		struct err err;

		assert_true(parse(&t, &job, cases[i].text, &err) < 0);
		if (!strstr(err.text, cases[i].reason))
			fail_msg("'%s' says nothing of '%s'", err.text, cases[i].reason);
		trace_release(&t);
	}
}

/* Pass after pass, each as long as the log. */
static void a_pattern_follows_its_trace(void **state)
{
	struct job job = core_job("psync", RW_READ, 0);
	struct pattern_io ios[8];
	struct pattern p;
	struct trace t;
	struct err err;

	(void)state;
	assert_int_equal(parse(&t, &job, "fio version 3 iolog\n0 /a add\n5 /a read 0 512\n"
			       "6 /a write 512 1024\n7 /a sync 0 0\n", &err), 0);
	job.replay.trace = &t;
	job.time.loops = 2;
	assert_int_equal(pattern_init(&p, &job, NULL, 0, 1, &err), 0);
	for (int pass = 0; pass < 2; pass++) {
		assert_int_equal(pattern_fill(&p, ios, 2), 2);
		assert_int_equal(ios[1].offset, 512);
		assert_int_equal(ios[1].length, 1024);
		assert_int_equal(pattern_due_ns(&p, 1), 6000 + pass * 7000);
		assert_int_equal(pattern_due_ns(&p, 2), 5000 + pass * 7000);
		assert_int_equal(pattern_fill(&p, ios, 8), 1);
		assert_int_equal(ios[0].dir, DIR_SYNC);
	}
	assert_int_equal(pattern_fill(&p, ios, 8), 0);
	pattern_release(&p);
	trace_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_3_has_times),
		cmocka_unit_test(version_2_has_pauses),
		cmocka_unit_test(replay_options_change_it),
		cmocka_unit_test(bad_logs_name_the_line),
		cmocka_unit_test(a_pattern_follows_its_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
