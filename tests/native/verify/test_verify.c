/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "core.h"
#include "verify/verify.h"

enum { BYTES = 16384, UNIT = 4096 };

struct fixture {
	uint8_t data[BYTES];
	struct job job;
	struct verify verify;
	struct verify_block block;
};

static const uint16_t places[] = { 2 };

static void seal_as(struct fixture *f, enum verify_method method, uint32_t offset)
{
	f->job = (struct job){ .verify = { .method = method, .interval_bytes = UNIT,
					   .offset_bytes = offset, .header_seed = true,
					   .write_sequence = true } };
	if (method == VERIFY_PATTERN || method == VERIFY_PATTERN_HDR)
		f->job.verify.pattern = (struct byte_pattern){
			(const unsigned char *)"abcdefghijk", 11, places, 1,
		};
	f->verify = (struct verify){ .job = &f->job, .run = 77, .thread = 1 };
	f->block = (struct verify_block){ .data = f->data, .offset = 65536, .length = BYTES,
					  .number = 3, .ours = true };
	verify_seal(&f->verify, &f->block, 5);
}

static void seal(struct fixture *f)
{
	seal_as(f, VERIFY_CRC32C, 0);
}

static void assert_fault(struct fixture *f, const char *part)
{
	struct verify_fault fault = { .at = 0 };

	assert_int_equal(verify_check(&f->verify, &f->block, &fault), -EILSEQ);
	if (!strstr(fault.text, part))
		fail_msg("'%s' is not in '%s'", part, fault.text);
}

static void what_was_sealed_is_right(void **state)
{
	struct fixture f;
	struct verify_fault fault;

	(void)state;
	for (enum verify_method m = VERIFY_META; m < VERIFY_METHODS; m++) {
		if (m == VERIFY_CRC16 - 1)
			continue;
		for (uint32_t offset = 0; offset < 1024; offset += 300) {
			seal_as(&f, m, offset);
			assert_int_equal(verify_check(&f.verify, &f.block, &fault), 0);
			f.verify.run = 0;			/* a later run checks */
			f.block.ours = false;
			assert_int_equal(verify_check(&f.verify, &f.block, &fault), 0);
		}
	}
}

/* Every single flipped bit is found by those that have a checksum worth the name. */
static void a_flipped_bit_is_found(void **state)
{
	static const enum verify_method methods[] = {
		VERIFY_CRC32C, VERIFY_CRC7, VERIFY_SHA256, VERIFY_MD5, VERIFY_SHA3_512,
	};
	struct fixture f;
	struct verify_fault fault;

	(void)state;
	for (size_t m = 0; m < sizeof(methods) / sizeof(*methods); m++) {
		seal_as(&f, methods[m], m % 2 ? 512 : 0);
		for (uint32_t i = 0; i < BYTES; i += 7) {
			f.data[i] ^= 16;
			assert_int_equal(verify_check(&f.verify, &f.block, &fault), -EILSEQ);
			f.data[i] ^= 16;
		}
	}
	seal(&f);
	f.data[UNIT + 100] ^= 1;
	assert_fault(&f, "block 17 at offset 69632 does not match its checksum: crc32c ");
	assert_fault(&f, " expected, ");
}

static void data_of_elsewhere_is_found(void **state)
{
	struct fixture f;

	(void)state;
	seal(&f);
	f.block.offset += UNIT;
	assert_fault(&f, "data of another place: offset 69632 expected, 65536 found");
	seal(&f);
	f.verify.run = 78;
	assert_fault(&f, "data of an earlier write");
	seal(&f);
	f.block.number = 4;
	assert_fault(&f, "data of an earlier write");
	seal(&f);
	f.job.verify.method = VERIFY_MD5;
	assert_fault(&f, "another verify: md5 expected, crc32c (5) found");
	seal(&f);
	f.job.verify.interval_bytes = 2 * UNIT;
	assert_fault(&f, "verify_interval: length 8192 expected, 4096 found");
	memset(f.data, 0, BYTES);
	assert_fault(&f, "holds no header");
}

static void what_was_trimmed_has_to_be_zeros(void **state)
{
	struct fixture f;
	struct verify_fault fault;

	(void)state;
	seal(&f);
	f.block.trimmed = true;
	assert_fault(&f, "was trimmed, and is not zeros: byte 0 is 0x");
	memset(f.data, 0, BYTES);
	assert_int_equal(verify_check(&f.verify, &f.block, &fault), 0);
	f.data[BYTES - 1] = 7;
	assert_fault(&f, "at offset 65536 was trimmed, and is not zeros: byte 16383 is 0x07");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_sealed_is_right),
		cmocka_unit_test(a_flipped_bit_is_found),
		cmocka_unit_test(data_of_elsewhere_is_found),
		cmocka_unit_test(what_was_trimmed_has_to_be_zeros),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
