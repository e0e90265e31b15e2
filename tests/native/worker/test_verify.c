/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "core.h"

/* Every engine, with overlapping blocks of several sizes. */
static void what_a_job_writes_it_finds_again(void **state)
{
	static const struct block_share shares[] = { { 4096, 50 }, { 12288, 50 } };

	(void)state;
	core_for_each_engine(ops) {
		struct job job = core_job((*ops)->name, RW_WRITE | RW_RANDOM, 1 << 20);
		struct result result;
		struct err err;

		if (engine_is_diskless(*ops))
			continue;
		job.block.bytes[DIR_WRITE] = 12288;
		job.block.splits[DIR_WRITE] = (struct block_split){ shares, 2 };
		job.verify.method = VERIFY_CRC32C;
		job.verify.at_end = true;
		job.norandommap = true;
		job.depth.iodepth = 4;
		assert_int_equal(core_run(&job, 1, &result, &err), 0);
		assert_string_equal(result.rows[0].error_text, "");
		assert_true(result.rows[0].stats->dirs[DIR_READ].ios <
			    result.rows[0].stats->dirs[DIR_WRITE].ios);
		assert_true(result.rows[0].stats->dirs[DIR_READ].ios > 40);
		result_release(&result);
	}
}

static void damage(const char *name, long at)
{
	char path[160];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", core_folder, name);
	f = fopen(path, "r+");
	assert_non_null(f);
	fseek(f, at, SEEK_SET);
	fputs("damage", f);
	fclose(f);
}

static void a_damaged_file_fails_the_job(void **state)
{
	struct job job = core_job("libaio", RW_WRITE, 1 << 20);
	struct result result;
	struct err err;

	(void)state;
	job.files.names = "damaged";
	job.verify.method = VERIFY_CRC32C;
	assert_int_equal(core_run(&job, 1, &result, &err), 0);
	assert_int_equal(result.rows[0].error, 0);
	result_release(&result);
	damage("damaged", 40960 + 50);
	damage("damaged", 81920 + 50);
	job.rw = RW_READ;
	assert_int_equal(core_run(&job, 1, &result, &err), 0);
	assert_int_equal(result.rows[0].error, EILSEQ);
	assert_int_equal(result.rows[0].stats->errors[0].count, 2);
	assert_int_equal(result.rows[0].stats->dirs[DIR_READ].ios, 256);
	assert_non_null(strstr(result.rows[0].error_text, "block 10 at offset 40960 does not"));
	result_release(&result);
	job.verify.fatal = true;
	assert_int_equal(core_run(&job, 1, &result, &err), 0);
	assert_true(result.rows[0].stats->dirs[DIR_READ].ios < 16);
	result_release(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_job_writes_it_finds_again),
		cmocka_unit_test(a_damaged_file_fails_the_job),
	};

	return cmocka_run_group_tests(tests, core_setup, core_teardown);
}
