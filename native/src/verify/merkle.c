/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/merkle.h"

#include <string.h>

enum { LENGTH_AT = DIGEST_BLOCK_BYTES - 8 };

void merkle(const uint8_t *data, size_t length, enum digest_length order, merkle_block *add,
	    uint32_t *state, uint8_t *last)
{
	const uint64_t bits = (uint64_t)length * 8;
	uint8_t tail[2 * DIGEST_BLOCK_BYTES] = { 0 };
	const size_t rest = length % DIGEST_BLOCK_BYTES;
	const size_t end = rest < LENGTH_AT ? DIGEST_BLOCK_BYTES : 2 * DIGEST_BLOCK_BYTES;

	for (size_t at = 0; at + DIGEST_BLOCK_BYTES <= length; at += DIGEST_BLOCK_BYTES)
		add(state, data + at);
	memcpy(tail, data + length - rest, rest);
	tail[rest] = 0x80;
	for (unsigned i = 0; i < 8; i++)
		tail[end - 8 + i] = (uint8_t)(bits >> (order == DIGEST_LENGTH_BIG ? 56 - 8 * i
										  : 8 * i));
	for (size_t at = 0; at < end; at += DIGEST_BLOCK_BYTES)
		add(state, tail + at);
	if (last)
		memcpy(last, tail + end - DIGEST_BLOCK_BYTES, DIGEST_BLOCK_BYTES);
}
