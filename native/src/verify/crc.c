/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/crc.h"

#include <pthread.h>

/* Those of the highest bit first stand at the top of 64 bits, the reflected at the bottom. */
enum { CRC64, CRC16, REFLECTED, CRC32 = REFLECTED, CRC7, KINDS };

static const uint64_t polynomials[KINDS] = {
	[CRC64] = UINT64_C(0x95ac9329ac4bc9b5), [CRC16] = 0xa001,
	[CRC32] = UINT64_C(0x04c11db7) << 32, [CRC7] = UINT64_C(0x09) << 57,
};
static uint64_t tables[KINDS][256];
static pthread_once_t made = PTHREAD_ONCE_INIT;

static uint64_t reflected_step(uint64_t crc, uint64_t polynomial)
{
	return crc >> 1 ^ (crc & 1 ? polynomial : 0);
}

static uint64_t forward_step(uint64_t crc, uint64_t polynomial)
{
	return crc << 1 ^ (crc >> 63 ? polynomial : 0);
}

static void make_tables(void)
{
	for (int kind = 0; kind < KINDS; kind++) {
		for (uint64_t i = 0; i < 256; i++) {
			uint64_t crc = kind < REFLECTED ? i : i << 56;

			for (int bit = 0; bit < 8; bit++)
				crc = kind < REFLECTED ? reflected_step(crc, polynomials[kind])
						       : forward_step(crc, polynomials[kind]);
			tables[kind][i] = crc;
		}
	}
}

static uint64_t reflected(int kind, const uint8_t *bytes, size_t length)
{
	uint64_t crc = 0;

	pthread_once(&made, make_tables);
	while (length--)
		crc = crc >> 8 ^ tables[kind][(crc ^ *bytes++) & 0xff];
	return crc;
}

static uint64_t forward(int kind, const uint8_t *bytes, size_t length)
{
	uint64_t crc = 0;

	pthread_once(&made, make_tables);
	while (length--)
		crc = crc << 8 ^ tables[kind][crc >> 56 ^ *bytes++];
	return crc;
}

uint64_t crc64(const void *data, size_t length)
{
	return reflected(CRC64, data, length);
}

uint32_t crc32(const void *data, size_t length)
{
	return (uint32_t)(forward(CRC32, data, length) >> 32);
}

uint16_t crc16(const void *data, size_t length)
{
	return (uint16_t)reflected(CRC16, data, length);
}

uint8_t crc7(const void *data, size_t length)
{
	return (uint8_t)(forward(CRC7, data, length) >> 57);
}
