/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_MERKLE_H
#define IOGATE_MERKLE_H

#include "verify/digests.h"

/* What MD5, SHA-1 and SHA-256 share: blocks of 64 bytes, and the length at the end of the last. */
typedef void merkle_block(uint32_t *state, const uint8_t block[DIGEST_BLOCK_BYTES]);

/* The state after all blocks; *last, where it is not NULL, is the last one. */
void merkle(const uint8_t *data, size_t length, enum digest_length order, merkle_block *add,
	    uint32_t *state, uint8_t *last);

static inline uint32_t merkle_left(uint32_t word, unsigned bits)
{
	return word << bits | word >> (32 - bits);
}

/* The first 16 words of a block, whose bytes begin with the highest. */
static inline uint32_t merkle_big_word(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

#endif
