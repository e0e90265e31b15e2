/* SPDX-License-Identifier: Apache-2.0 */
#include "util/crc32c.h"

#include <string.h>
#ifdef __x86_64__
#include <nmmintrin.h>
#endif

static const uint32_t polynomial = 0x82f63b78;		/* reflected */

uint32_t crc32c_portable(const void *data, size_t length)
{
	const uint8_t *bytes = data;
	uint32_t table[256], crc = UINT32_MAX;

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? polynomial : 0);
	}
	while (length--)
		crc = crc >> 8 ^ table[(crc ^ *bytes++) & 0xff];
	return ~crc;
}

#ifdef __x86_64__
__attribute__((target("sse4.2")))
static uint32_t crc32c_sse42(const uint8_t *bytes, size_t length)
{
	uint64_t crc = UINT32_MAX, word;

#pragma GCC unroll 8
	for (; length >= sizeof(word); length -= sizeof(word), bytes += sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		crc = _mm_crc32_u64(crc, word);
	}
	while (length--)
		crc = _mm_crc32_u8((uint32_t)crc, *bytes++);
	return ~(uint32_t)crc;
}
#endif

uint32_t crc32c(const void *data, size_t length)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("sse4.2"))
		return crc32c_sse42(data, length);
#endif
	return crc32c_portable(data, length);
}
