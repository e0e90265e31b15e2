/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "core.h"
#include "util/crc32c.h"
#include "util/random.h"
#include "worker/verify.h"

enum { BYTES = 16384, UNIT = 4096 };

struct fixture {
	char buffer[BYTES];
	struct io io;
	struct verify verify;
};

static void seal(struct fixture *f)
{
	struct random r = { 5 };

	for (uint32_t i = 0; i < BYTES; i++)
		f->buffer[i] = (char)random_next(&r);
	f->io = (struct io){ .offset = 65536, .length = BYTES, .buffer = f->buffer,
			     .home = f->buffer };
	f->verify = (struct verify){ .run = 77, .unit_bytes = UNIT };
	verify_seal(&f->verify, &f->io);
}

static void assert_fault(struct fixture *f, const char *part)
{
	char text[VERIFY_TEXT];

	assert_int_equal(verify_check(&f->verify, &f->io, text), -EILSEQ);
	assert_non_null(strstr(text, part));
}

static void crc_of_the_standards_check_value(void **state)
{
	(void)state;
	assert_int_equal(crc32c("123456789", 9), 0xe3069283);
	assert_int_equal(crc32c_portable("123456789", 9), 0xe3069283);
	assert_int_equal(crc32c("", 0), 0);
}

static void the_instruction_and_the_table_agree(void **state)
{
	unsigned char data[300];
	struct random r = { 9 };

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (unsigned char)random_next(&r);
	for (size_t start = 0; start < 9; start++)
		for (size_t length = 0; length + start <= sizeof(data); length++)
			assert_int_equal(crc32c(data + start, length),
					 crc32c_portable(data + start, length));
}

static void what_was_sealed_is_right(void **state)
{
	struct fixture f;
	char text[VERIFY_TEXT];

	(void)state;
	seal(&f);
	assert_int_equal(verify_check(&f.verify, &f.io, text), 0);
	f.verify.run = 0;				/* a later run checks */
	assert_int_equal(verify_check(&f.verify, &f.io, text), 0);
	f.io.buffer = f.buffer + 512;			/* the last part came apart */
	f.io.offset += 512;
	f.io.length -= 512;
	assert_int_equal(verify_check(&f.verify, &f.io, text), 0);
}

/* Every single flipped bit is found. */
static void a_flipped_bit_is_found(void **state)
{
	struct fixture f;
	char text[VERIFY_TEXT];

	(void)state;
	seal(&f);
	for (uint32_t i = 0; i < BYTES; i += 7) {
		f.buffer[i] ^= 16;
		assert_int_equal(verify_check(&f.verify, &f.io, text), -EILSEQ);
		f.buffer[i] ^= 16;
	}
	f.buffer[UNIT + 100] ^= 1;
	assert_fault(&f, "offset 69632 does not match its checksum");
}

static void data_of_elsewhere_is_found(void **state)
{
	struct fixture f;

	(void)state;
	seal(&f);
	f.io.offset += UNIT;
	assert_fault(&f, "data of another place");
	seal(&f);
	f.verify.run = 78;
	assert_fault(&f, "earlier run");
	memset(f.buffer, 0, BYTES);
	assert_fault(&f, "holds no header");
}

/* Every engine, with overlapping blocks of several sizes. */
static void what_a_job_writes_it_finds_again(void **state)
{
	static const struct block_share shares[] = { { 4096, 50 }, { 12288, 50 } };

	(void)state;
	for (const struct engine_ops *const *ops = engines_all; *ops; ops++) {
		struct job job = core_job((*ops)->name, RW_WRITE | RW_RANDOM, 1 << 20);
		struct result result;
		struct err err;

		if (engine_is_diskless(*ops))
			continue;
		job.block.bytes[DIR_WRITE] = 12288;
		job.block.splits[DIR_WRITE] = (struct block_split){ shares, 2 };
		job.verify.method = VERIFY_CRC32C;
		job.depth.iodepth = 4;
		assert_int_equal(core_run(&job, 1, &result, &err), 0);
		assert_string_equal(result.rows[0].error_text, "");
		assert_int_equal(result.rows[0].stats->dirs[DIR_READ].ios,
				 result.rows[0].stats->dirs[DIR_WRITE].ios);
		assert_true(result.rows[0].stats->dirs[DIR_READ].ios > 80);
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
	assert_non_null(strstr(result.rows[0].error_text, "offset 40960 does not match"));
	result_release(&result);
	job.verify.fatal = true;
	assert_int_equal(core_run(&job, 1, &result, &err), 0);
	assert_true(result.rows[0].stats->dirs[DIR_READ].ios < 16);
	result_release(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crc_of_the_standards_check_value),
		cmocka_unit_test(the_instruction_and_the_table_agree),
		cmocka_unit_test(what_was_sealed_is_right),
		cmocka_unit_test(a_flipped_bit_is_found),
		cmocka_unit_test(data_of_elsewhere_is_found),
		cmocka_unit_test(what_a_job_writes_it_finds_again),
		cmocka_unit_test(a_damaged_file_fails_the_job),
	};

	return cmocka_run_group_tests(tests, core_setup, core_teardown);
}
