/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engines/engines.h"
#include "jobfile/help.h"
#include "jobfile/options.h"
#include "util/suggest.h"

static void names_are_sorted_and_unique(void **state)
{
	(void)state;
	for (const struct option *const *o = options_sorted(); *o; o++) {
		if (o[1] && strcmp(o[0]->name, o[1]->name) >= 0)
			fail_msg("%s is there twice", o[0]->name);
		assert_ptr_equal(options_find((*o)->name), *o);
		if ((*o)->alias)
			assert_ptr_equal(options_find((*o)->alias), *o);
	}
	for (const struct option_category *const *c = option_categories; *c; c++)
		for (const struct option *o = (*c)->rows; o->name; o++)
			if (o[1].name && strcmp(o->name, o[1].name) >= 0)
				fail_msg("%s stands before %s", o->name, o[1].name);
}

static void check_row(const struct option *o, uint32_t structure_size)
{
	const uint32_t width = o->type->width;
	const size_t length = o->help ? strlen(o->help) : 0;

	if (length < 10 || o->help[length - 1] != '.')
		fail_msg("%s: help is no sentence", o->name);
	if (width ? o->width != width : o->width != 4 && o->width != 8)
		fail_msg("%s: its type does not fit its field", o->name);
	if (o->offset + o->width > structure_size)
		fail_msg("%s: its field is outside of the struct", o->name);
	if (!strcmp(o->type->words, type_choice.words) != !!o->choices)
		fail_msg("%s: choices and type disagree", o->name);
	if ((o->type == &type_time || o->type == &type_time_range) != !!o->unit_ns)
		fail_msg("%s: unit_ns and type disagree", o->name);
	assert_non_null(o->type->words);
}

static void every_row_is_whole(void **state)
{
	(void)state;
	for (const struct option *const *o = options_sorted(); *o; o++)
		check_row(*o, sizeof(struct job));
	for (const struct engine_ops *const *ops = engines_all; *ops; ops++)
		for (const struct option *o = (*ops)->options; o && o->name; o++)
			check_row(o, (*ops)->options_size);
}

static void every_default_parses(void **state)
{
	struct arena *memory = arena_new();
	struct job job = { 0 };

	(void)state;
	for (const struct option *const *o = options_sorted(); *o; o++) {
		struct err err = { 0 };

		if ((*o)->standard && option_parse(*o, (*o)->standard, &job, memory, &err))
			fail_msg("%s", err.text);
	}
	memset(&job, 0, sizeof(job));
	options_defaults(&job, memory);
	assert_string_equal(job.ops->name, "psync");
	assert_int_equal(job.block.bytes[DIR_TRIM], 4096);
	assert_true(job.depth.iodepth == 1 && job.time.loops == 1);
	assert_true(job.rw == RW_READ && !job.direct && job.buffers.invalidate && job.randrepeat);
	assert_int_equal(job.rwmixread_percent, 50);
	arena_free(memory);
}

static void set(struct job *job, struct arena *memory, const char *key, const char *value)
{
	struct err err = { 0 };

	if (option_parse(options_find(key), value, job, memory, &err))
		fail_msg("%s", err.text);
}

static void rows_set_their_fields(void **state)
{
	struct arena *memory = arena_new();
	struct job job = { 0 };

	(void)state;
	options_defaults(&job, memory);
	set(&job, memory, "blocksize", "8k,16k");
	assert_true(job.block.bytes[0] == 8192 && job.block.bytes[1] == 16384
		    && job.block.bytes[2] == 16384);
	set(&job, memory, "bs", ",,1k");
	assert_true(job.block.bytes[0] == 8192 && job.block.bytes[1] == 16384
		    && job.block.bytes[2] == 1024);
	set(&job, memory, "buffered", "0");
	assert_true(job.direct);
	set(&job, memory, "rwmixwrite", "30");
	assert_int_equal(job.rwmixread_percent, 70);
	set(&job, memory, "time_based", NULL);
	assert_true(job.time.based);
	set(&job, memory, "readwrite", "randrw");
	assert_int_equal(job.rw, RW_READ | RW_WRITE | RW_RANDOM);
	set(&job, memory, "thinktime", "40");
	assert_int_equal(job.think.pause_ns, 40000);
	set(&job, memory, "ioengine", "libaio");
	assert_string_equal(job.ops->name, "libaio");
	set(&job, memory, "size", "10%");
	assert_int_equal(job.amount.size.percent, 10);
	arena_free(memory);
}

static void logs_and_percentiles_set_their_fields(void **state)
{
	struct arena *memory = arena_new();
	struct job job = { 0 };

	(void)state;
	options_defaults(&job, memory);
	assert_null(job.log.bw);
	assert_int_equal(job.report.percentiles.count, 17);
	assert_true(job.report.clat_percentiles && !job.report.lat_percentiles && job.log.per_job);
	set(&job, memory, "write_bw_log", NULL);
	assert_string_equal(job.log.bw, "");
	set(&job, memory, "write_lat_log", "a");
	assert_string_equal(job.log.lat, "a");
	set(&job, memory, "filesize", "16k-64k");
	assert_true(job.files.size.min_bytes == 16384 && job.files.size.max_bytes == 65536);
	set(&job, memory, "filesize", "1m");
	assert_true(job.files.size.min_bytes == 1 << 20 && job.files.size.max_bytes == 1 << 20);
	set(&job, memory, "percentile_list", "99.9:50:10.5");
	assert_int_equal(job.report.percentiles.count, 3);
	assert_true(job.report.percentiles.percents[0] == 10.5);
	assert_true(job.report.percentiles.percents[1] == 50);
	assert_true(job.report.percentiles.percents[2] == 99.9);
	set(&job, memory, "percentile_list", "50:99:50.00000001:50");	/* one key each */
	assert_int_equal(job.report.percentiles.count, 2);
	assert_true(job.report.percentiles.percents[1] == 99);
	arena_free(memory);
}

static void wrong_values_say_why(void **state)
{
	static const struct {
		const char *key, *value, *reason;
	} cases[] = {
		{ "bs", "0", "bs: 0 is too small" }, { "bs", "2g", "too large" },
		{ "bs", "1k,2k,3k,4k", "three parts" }, { "bs", "", "missing" },
		{ "direct", "yes", "neither 0 nor 1" }, { "direct", NULL, "value is missing" },
		{ "rw", "READ", "read, write, trim, randread" }, { "iodepth", "0", "too small" },
		{ "ioengine", "libaoi", "did you mean 'libaio'" }, { "filename", "", "missing" },
		{ "fsync", "4294967296", "at most 4294967295" }, { "rwmixread", "101", "100" },
		{ "filesize", "64k-16k", "ends before it begins" },
		{ "filesize", "64k-x", "filesize: " },
		{ "percentile_list", "50:101", "from 0 to 100" },
		{ "percentile_list", "50,60", "':' between" },
		{ "percentile_list", "-1:50", "from 0 to 100" },
		{ "percentile_list", "1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17:18:19:20:21",
		  "more than 20" },
		{ "log_hist_coarseness", "7", "at most 6" },
		{ "cpus_allowed", "3-1", "no list of CPUs" },
		{ "cpus_allowed", "0,", "no list of CPUs" },
		{ "cpus_allowed", "1024", "no list of CPUs" },
		{ "cpus_allowed", "-1", "no list of CPUs" },
	};
	struct arena *memory = arena_new();
	struct job job = { 0 };

	(void)state;
	options_defaults(&job, memory);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct err err = { 0 };

		assert_int_not_equal(option_parse(options_find(cases[i].key),
						  cases[i].value, &job, memory, &err), 0);
		if (!strstr(err.text, cases[i].reason))
			fail_msg("%s=%s: %s", cases[i].key, cases[i].value, err.text);
	}
	arena_free(memory);
}

static void suggestions_are_close(void **state)
{
	(void)state;
	assert_string_equal(option_suggest("iodept"), "iodepth");
	assert_string_equal(option_suggest("blocksiz"), "blocksize");
	assert_string_equal(option_suggest("runtmie"), "runtime");
	assert_string_equal(option_suggest("Size"), "size");
	assert_null(option_suggest("frobnicate"));
	assert_null(option_suggest("bz"));
	assert_null(option_suggest("thinkytimes_x"));
	assert_int_equal(edit_distance("", "abc"), 3);
	assert_int_equal(edit_distance("abcd", "abdc"), 1);
	assert_int_equal(edit_distance("kitten", "sitting"), 3);
}

static char *reference_text(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	help_reference(out);
	fclose(out);
	return text;
}

static void the_reference_has_every_option(void **state)
{
	char *text = reference_text();

	(void)state;
	for (const struct option *const *o = options_sorted(); *o; o++) {
		char row[64];

		snprintf(row, sizeof(row), "\n| `%s`", (*o)->name);
		if (!strstr(text, row))
			fail_msg("%s is not in the reference", (*o)->name);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_sorted_and_unique),
		cmocka_unit_test(every_row_is_whole),
		cmocka_unit_test(every_default_parses),
		cmocka_unit_test(rows_set_their_fields),
		cmocka_unit_test(logs_and_percentiles_set_their_fields),
		cmocka_unit_test(wrong_values_say_why),
		cmocka_unit_test(suggestions_are_close),
		cmocka_unit_test(the_reference_has_every_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
