/* SPDX-License-Identifier: Apache-2.0 */
#include "core.h"
#include "util/crc32c.h"
#include "util/random.h"
#include "verify/crc.h"
#include "verify/digests.h"

/* Of "123456789", which the catalogues of CRCs give for each. */
static void crcs_of_the_check_value(void **state)
{
	(void)state;
	assert_int_equal(crc32c("123456789", 9), 0xe3069283);
	assert_int_equal(crc32c_portable("123456789", 9), 0xe3069283);
	assert_int_equal(crc32c("", 0), 0);
	assert_int_equal(crc16("123456789", 9), 0xbb3d);
	assert_int_equal(crc7("123456789", 9), 0x75);
	assert_true(crc64("123456789", 9) == UINT64_C(0xe9c6d914c4b8d9ca));
	assert_int_equal(crc32("123456789", 9), 0x89a1897f);
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

static void assert_hex(const uint8_t *digest, const char *wanted)
{
	char text[129] = "";

	for (size_t i = 0; 2 * i < strlen(wanted); i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
	assert_string_equal(text, wanted);
}

/* Of "abc", as the standards print them. */
static void digests_of_the_standards(void **state)
{
	uint8_t digest[64];
	uint32_t words[8];

	(void)state;
	md5("abc", 3, digest);
	assert_hex(digest, "900150983cd24fb0d6963f7d28e17f72");
	sha1("abc", 3, words);
	assert_int_equal(words[0], 0xa9993e36);
	assert_int_equal(words[4], 0x9cd0d89d);
	sha256("abc", 3, DIGEST_LENGTH_BIG, words, NULL);
	assert_int_equal(words[0], 0xba7816bf);
	assert_int_equal(words[7], 0xf20015ad);
	sha3("abc", 3, digest, 28);
	assert_hex(digest, "e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf");
	sha3("abc", 3, digest, 32);
	assert_hex(digest, "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532");
	assert_int_equal(xxhash32("abc", 3, 0), 0x32d153ff);
	assert_int_equal(xxhash32("", 0, 0), 0x02cc5d05);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crcs_of_the_check_value),
		cmocka_unit_test(the_instruction_and_the_table_agree),
		cmocka_unit_test(digests_of_the_standards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
