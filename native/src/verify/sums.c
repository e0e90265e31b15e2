/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/sums.h"

#include <string.h>

#include "util/crc32c.h"
#include "verify/crc.h"
#include "verify/digests.h"

enum { SHA512_BLOCK_BYTES = 128, XXHASH_SEED = 1 };

static void sum_md5(const uint8_t *data, size_t length, uint8_t *sum)
{
	md5(data, length, sum);
}

static void sum_sha1(const uint8_t *data, size_t length, uint8_t *sum)
{
	uint32_t words[SHA1_WORDS];

	sha1(data, length, words);
	memcpy(sum, words, sizeof(words));
}

static void sum_crc64(const uint8_t *data, size_t length, uint8_t *sum)
{
	const uint64_t crc = crc64(data, length);

	memcpy(sum, &crc, sizeof(crc));
}

static void sum_crc32(const uint8_t *data, size_t length, uint8_t *sum)
{
	const uint32_t crc = crc32(data, length);

	memcpy(sum, &crc, sizeof(crc));
}

static void sum_crc32c(const uint8_t *data, size_t length, uint8_t *sum)
{
	const uint32_t crc = ~crc32c(data, length);

	memcpy(sum, &crc, sizeof(crc));
}

static void sum_crc16(const uint8_t *data, size_t length, uint8_t *sum)
{
	const uint16_t crc = crc16(data, length);

	memcpy(sum, &crc, sizeof(crc));
}

static void sum_crc7(const uint8_t *data, size_t length, uint8_t *sum)
{
	*sum = crc7(data, length);
}

static void sum_xxhash(const uint8_t *data, size_t length, uint8_t *sum)
{
	const uint32_t hash = xxhash32(data, length, XXHASH_SEED);

	memcpy(sum, &hash, sizeof(hash));
}

static void sum_sha256(const uint8_t *data, size_t length, uint8_t *sum)
{
	uint32_t words[SHA256_WORDS];

	sha256(data, length, DIGEST_LENGTH_LITTLE, words, sum);
	for (unsigned i = 0; i < SHA256_WORDS; i++)
		sum[i] = (uint8_t)words[i];
}

static void sum_sha512(const uint8_t *data, size_t length, uint8_t *sum)
{
	const size_t rest = length % SHA512_BLOCK_BYTES;

	memset(sum, 0, SHA512_BLOCK_BYTES);
	if (length >= SHA512_BLOCK_BYTES)
		memcpy(sum, data, SHA512_BLOCK_BYTES);
	memcpy(sum, data + length - rest, rest);
}

static void sum_sha3_224(const uint8_t *data, size_t length, uint8_t *sum)
{
	sha3(data, length, sum, 28);
}

static void sum_sha3_256(const uint8_t *data, size_t length, uint8_t *sum)
{
	sha3(data, length, sum, 32);
}

static void sum_sha3_384(const uint8_t *data, size_t length, uint8_t *sum)
{
	sha3(data, length, sum, 48);
}

static void sum_sha3_512(const uint8_t *data, size_t length, uint8_t *sum)
{
	sha3(data, length, sum, 64);
}

static const struct sum sums[VERIFY_METHODS] = {
	[VERIFY_META] = { "meta", 0, NULL },
	[VERIFY_MD5] = { "md5", 16, sum_md5 },
	[VERIFY_CRC64] = { "crc64", 8, sum_crc64 },
	[VERIFY_CRC32] = { "crc32", 4, sum_crc32 },
	[VERIFY_CRC32C] = { "crc32c", 4, sum_crc32c },
	[VERIFY_CRC16] = { "crc16", 2, sum_crc16 },
	[VERIFY_CRC7] = { "crc7", 1, sum_crc7 },
	[VERIFY_SHA256] = { "sha256", 64, sum_sha256 },
	[VERIFY_SHA512] = { "sha512", SHA512_BLOCK_BYTES, sum_sha512 },
	[VERIFY_SHA3_224] = { "sha3-224", 28, sum_sha3_224 },
	[VERIFY_SHA3_256] = { "sha3-256", 32, sum_sha3_256 },
	[VERIFY_SHA3_384] = { "sha3-384", 48, sum_sha3_384 },
	[VERIFY_SHA3_512] = { "sha3-512", 64, sum_sha3_512 },
	[VERIFY_XXHASH] = { "xxhash", 4, sum_xxhash },
	[VERIFY_SHA1] = { "sha1", 20, sum_sha1 },
	[VERIFY_PATTERN_HDR] = { "pattern_hdr", 0, NULL },
	[VERIFY_PATTERN] = { "pattern", 0, NULL },
	[VERIFY_NULL] = { "null", 0, NULL },
};

const struct sum *sum_of(enum verify_method method)
{
	return &sums[method < VERIFY_METHODS ? method : VERIFY_NONE];
}
