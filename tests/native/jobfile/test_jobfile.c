/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engines/engine.h"
#include "jobfile/jobfile.h"

/* Each of its 100 lines includes the same again, an empty file. */
static char *many_includes(void)
{
	static const char line[] = "include empty.fio\n";
	char *text = calloc(100, sizeof(line));

	for (int i = 0; text && i < 100; i++)
		memcpy(text + (size_t)i * (sizeof(line) - 1), line, sizeof(line) - 1);
	return text;
}

static char *include(void *context, const char *path, const char *from, size_t *length,
		     struct err *err)
{
	char *text = NULL;

	(void)context;
	(void)from;
	if (!strcmp(path, "more.fio"))
		text = strdup("bs=8k\n[inner]\nsize=1m\n");
	else if (!strcmp(path, "empty.fio"))
		text = strdup("");
	else if (!strcmp(path, "many.fio"))
		text = many_includes();
	else if (!strcmp(path, "loop.fio"))
		text = strdup("include loop.fio\n");
	else
		err_set(err, -2, "no such file: %s", path);
	*length = text ? strlen(text) : 0;
	return text;
}

static const char *environment(void *context, const char *name)
{
	(void)context;
	if (!strcmp(name, "EMPTY"))
		return "";
	return !strcmp(name, "SIZE") ? "2m" : NULL;
}

static const struct job_source source = { include, environment, NULL };

/* Parse a text as "t.fio"; NULL or the error's text. */
static const char *parse(struct job_list *list, const char *text)
{
	static struct err err;
	struct job_builder *b = job_builder_new(&source);
	int code;

	err = (struct err){ 0 };
	code = job_builder_file(b, "t.fio", text, strlen(text), &err);
	code = code ? code : job_builder_finish(b, list, &err);
	job_builder_free(b);
	return code ? err.text : NULL;
}

static struct job_list parsed(const char *text)
{
	struct job_list list;
	const char *error = parse(&list, text);

	if (error)
		fail_msg("%s", error);
	return list;
}

static void expect_error(const char *text, const char *expected)
{
	struct job_list list;
	const char *error = parse(&list, text);

	if (!error)
		fail_msg("no error for: %s", text);
	if (!strstr(error, expected))
		fail_msg("expected '%s', got '%s'", expected, error);
}

static void globals_are_defaults_of_later_jobs(void **state)
{
	struct job_list list = parsed("[global]\nsize=1m\nbs=8k\n[a]\n[global_2]\nbs=16k\n"
				      "[b]\niodepth=4\nioengine=libaio\n");

	(void)state;
	assert_int_equal(list.count, 2);
	assert_string_equal(list.jobs[0].name, "a");
	assert_int_equal(list.jobs[0].block.bytes[0], 8192);
	assert_int_equal(list.jobs[1].block.bytes[0], 16384);
	assert_int_equal(list.jobs[1].amount.size.bytes, 1 << 20);
	assert_int_equal(list.jobs[1].depth.iodepth, 4);
	assert_int_equal(list.globals_count, 2);
	assert_int_equal(list.jobs[0].settings_count, 0);
	assert_int_equal(list.jobs[1].settings_count, 3);
	job_list_release(&list);
}

static void layout_of_lines_does_not_matter(void **state)
{
	struct job_list list = parsed("; a comment\r\n\r\n  [ j ] # why\r\n\tsize = 64k ; x\r\n"
				      "time_based\nruntime=\t2\n bs=4k#c");

	(void)state;
	assert_string_equal(list.jobs[0].name, "j");
	assert_int_equal(list.jobs[0].amount.size.bytes, 65536);
	assert_true(list.jobs[0].time.based);
	assert_int_equal(list.jobs[0].time.runtime_ns, 2000000000);
	job_list_release(&list);
}

static void the_last_of_repeated_keys_wins(void **state)
{
	struct job_list list = parsed("[j]\nbs=1k\nsize=1m\nblocksize=2k\nthread\n");

	(void)state;
	assert_int_equal(list.jobs[0].block.bytes[0], 2048);
	assert_int_equal(list.jobs[0].settings_count, 3);
	assert_string_equal(list.jobs[0].settings[0].key, "bs");
	assert_string_equal(list.jobs[0].settings[0].value, "2k");
	assert_string_equal(list.jobs[0].settings[2].value, "1");
	job_list_release(&list);
}

static void variables_and_includes(void **state)
{
	struct job_list list = parsed("[j]\nsize=${SIZE}\ninclude more.fio\n"
				      "[k]\ndescription=a${SIZE}b$jobname\nsize=(2*$pagesize)\n");

	(void)state;
	assert_int_equal(list.count, 3);
	assert_int_equal(list.jobs[0].amount.size.bytes, 2 << 20);
	assert_int_equal(list.jobs[0].block.bytes[0], 8192);
	assert_string_equal(list.jobs[1].name, "inner");
	assert_string_equal(list.jobs[2].description, "a2mb$jobname");
	assert_true(list.jobs[2].amount.size.bytes >= 8192);
	job_list_release(&list);
}

static void a_variable_may_be_empty(void **state)
{
	struct job_list list =
		parsed("[k]\nsize=${EMPTY}1m\ndescription=${EMPTY}${EMPTY}rest\n");

	(void)state;
	assert_int_equal(list.jobs[0].amount.size.bytes, 1 << 20);
	assert_string_equal(list.jobs[0].description, "rest");
	job_list_release(&list);
	expect_error("[a]\ndescription=${EMPTY}\n", "t.fio:2:13: description: a value is missing");
}

static void stonewall_starts_a_group(void **state)
{
	struct job_list list = parsed("[a]\nstonewall\n[b]\n[c]\nwait_for_previous\n[d]\n");

	(void)state;
	assert_int_equal(list.jobs[0].group_id, 0);
	assert_int_equal(list.jobs[1].group_id, 0);
	assert_int_equal(list.jobs[2].group_id, 1);
	assert_int_equal(list.jobs[3].group_id, 1);
	job_list_release(&list);
}

static void zones(void **state)
{
	struct job_list list = parsed("[a]\nzonemode=strided\nzonesize=64k\nsize=4z\n");

	(void)state;
	assert_int_equal(list.jobs[0].zones.range_bytes, 65536);
	assert_int_equal(list.jobs[0].amount.size.bytes, 4 * 65536);
	job_list_release(&list);
	expect_error("[a]\nzonesize=64k\nzonemode=none\n",
		     "t.fio:2:1: job 'a': zonesize contradicts");
	expect_error("[global]\nzonesize=64k\n[a]\nzonemode=none\n",
		     "t.fio:2:1: job 'a': zonesize contradicts");
	expect_error("[a]\nzonemode=strided\n", "t.fio:2:1: job 'a': zonemode=strided needs");
	expect_error("[a]\nsize=4z\n", "t.fio:2:1: job 'a': a number of zones");
}

static void zonesize_alone_means_strided_zones(void **state)
{
	struct job_list list = parsed("[a]\nzonesize=64k\n[b]\nzonesize=0\n");

	(void)state;
	assert_int_equal(list.jobs[0].zones.mode, ZONE_STRIDED);
	assert_int_equal(list.jobs[0].zones.range_bytes, 65536);
	assert_int_equal(list.jobs[1].zones.mode, ZONE_NONE);
	job_list_release(&list);
}

static void what_does_nothing_is_told(void **state)
{
	struct job_list list = parsed("[a]\ntime_based\niodepth=8\n[b]\nzoneskip=4k\n[c]\n"
				      "iodepth=8\nioengine=libaio\n");

	(void)state;
	assert_int_equal(list.warnings_count, 3);
	assert_non_null(strstr(list.warnings[0], "'a': time_based"));
	assert_non_null(strstr(list.warnings[1], "psync is synchronous"));
	assert_non_null(strstr(list.warnings[2], "'b': zoneskip"));
	assert_false(list.jobs[0].time.based);
	job_list_release(&list);
}

static void options_that_are_wrong_are_told_together(void **state)
{
	char many[80 * 40] = "[a]\n";

	(void)state;
	expect_error("[global]\nbsz=4k\n[a]\nsize=4q\n[b]\nrw=up\n", "\nt.fio:6:4: rw: 'up'");
	expect_error("[a]\nsize=4q\n[b]\nrw=up\n[c\n", "t.fio:5:1: ']' is missing");
	expect_error("[a]\nioengine=io_uring\nsqthread_poll_cpu=x\nsqthread_poll_cpu=y\n",
		     "\nt.fio:4:19: sqthread_poll_cpu");
	for (int i = 0; i < 40; i++)
		strcat(many, "a_name_that_no_option_of_any_engine_has=1\n");
	expect_error(many, "--cmdhelp lists the options\n...");
}

static void errors_name_their_place(void **state)
{
	(void)state;
	expect_error("size=1m\n", "t.fio:1:1: an option stands before the first [section]");
	expect_error("[a]\n  iodept = 4\n", "t.fio:2:3: unknown option 'iodept', did you mean "
					    "'iodepth'?");
	expect_error("[a]\nSize=4k\n", "t.fio:2:1: unknown option 'Size', did you mean 'size'?");
	expect_error("[a]\nsize =  4q\n", "t.fio:2:9: size: cannot read '4q': no unit 'q'");
	expect_error("[a]\nsize=1m\n[b\n", "t.fio:3:1: ']' is missing");
	expect_error("[]\n", "t.fio:1:1: the section's name");
	expect_error("[ ]\n", "t.fio:1:1: the section's name");
	expect_error("[\n", "t.fio:1:1: ']' is missing");
	expect_error("[a]\n=4\n", "t.fio:2:1: the option's name is missing");
	expect_error("[a]\nsize\n", "t.fio:2:1: size: a value is missing");
	expect_error("[a]\nsize=${NOPE}\n", "t.fio:2:6: size: environment variable 'NOPE'");
	expect_error("[a]\ninclude nope\n", "t.fio:2:1: no such file: nope");
	expect_error("include loop.fio\n", "loop.fio:1:1: include goes deeper");
	expect_error("include many.fio\ninclude many.fio\ninclude many.fio\ninclude many.fio\n"
		     "include many.fio\ninclude many.fio\ninclude many.fio\ninclude many.fio\n"
		     "include many.fio\ninclude many.fio\n",
		     "many.fio:91:1: more than 1000 includes");
	expect_error("[a]\nsize=1k\n", "t.fio:2:1: job 'a': size is smaller than one block");
	expect_error("[a]\nnumjobs=4000\n[b]\nnumjobs=4000\n", "t.fio:3:1: more than 4096 jobs");
	expect_error("", "there is no job");
	expect_error("[global]\nsize=1m\n", "there is no job");
}

static void binary_files_are_refused(void **state)
{
	static const char text[] = "[a]\nsi\0ze=4k\n";
	struct job_builder *b = job_builder_new(NULL);
	struct err err = { 0 };

	(void)state;
	assert_int_not_equal(job_builder_file(b, "x", text, sizeof(text) - 1, &err), 0);
	assert_non_null(strstr(err.text, "x:2:1: a NUL byte"));
	job_builder_free(b);
}

static void command_line_sections(void **state)
{
	struct job_builder *b = job_builder_new(NULL);
	struct job_list list;

	(void)state;
	assert_int_equal(job_builder_option(b, "bs", "8k", NULL), 0);
	assert_int_equal(job_builder_section(b, "one", NULL), 0);
	assert_int_equal(job_builder_option(b, "size", "1m", NULL), 0);
	assert_int_equal(job_builder_section(b, "two", NULL), 0);
	job_builder_choose(b, "two");
	assert_int_equal(job_builder_finish(b, &list, NULL), 0);
	assert_int_equal(list.count, 1);
	assert_string_equal(list.jobs[0].name, "two");
	assert_int_equal(list.jobs[0].block.bytes[0], 8192);
	job_list_release(&list);
	job_builder_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(globals_are_defaults_of_later_jobs),
		cmocka_unit_test(layout_of_lines_does_not_matter),
		cmocka_unit_test(the_last_of_repeated_keys_wins),
		cmocka_unit_test(variables_and_includes),
		cmocka_unit_test(a_variable_may_be_empty),
		cmocka_unit_test(stonewall_starts_a_group),
		cmocka_unit_test(zones),
		cmocka_unit_test(zonesize_alone_means_strided_zones),
		cmocka_unit_test(what_does_nothing_is_told),
		cmocka_unit_test(errors_name_their_place),
		cmocka_unit_test(options_that_are_wrong_are_told_together),
		cmocka_unit_test(binary_files_are_refused),
		cmocka_unit_test(command_line_sections),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
