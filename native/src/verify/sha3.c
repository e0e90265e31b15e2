/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "verify/digests.h"

enum { LANES = 25, STATE_BYTES = 200 };

static const uint64_t round_constants[24] = {
	0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
	0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
	0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
	0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
	0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
	0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};
static const uint8_t turns[24] = {
	1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44,
};
static const uint8_t lanes[24] = {
	10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1,
};

static uint64_t left(uint64_t lane, unsigned bits)
{
	return lane << bits | lane >> (64 - bits);
}

/* Each lane gets the parity of two columns. */
static void mix_columns(uint64_t state[LANES])
{
	uint64_t parity[5];

	for (unsigned x = 0; x < 5; x++)
		parity[x] = state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20];
	for (unsigned i = 0; i < LANES; i++)
		state[i] ^= parity[(i + 4) % 5] ^ left(parity[(i + 1) % 5], 1);
}

/* Lanes turn and change their places, in one long cycle. */
static void move_lanes(uint64_t state[LANES])
{
	uint64_t moving = state[1];

	for (unsigned i = 0; i < 24; i++) {
		const uint64_t next = state[lanes[i]];

		state[lanes[i]] = left(moving, turns[i]);
		moving = next;
	}
}

static void mix_rows(uint64_t state[LANES])
{
	for (unsigned y = 0; y < LANES; y += 5) {
		uint64_t row[5];

		memcpy(row, state + y, sizeof(row));
		for (unsigned x = 0; x < 5; x++)
			state[y + x] ^= ~row[(x + 1) % 5] & row[(x + 2) % 5];
	}
}

static void permute(uint64_t state[LANES])
{
	for (unsigned round = 0; round < 24; round++) {
		mix_columns(state);
		move_lanes(state);
		mix_rows(state);
		state[0] ^= round_constants[round];
	}
}

static void absorb(uint64_t state[LANES], const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < length; i += sizeof(uint64_t)) {
		uint64_t lane;

		memcpy(&lane, bytes + i, sizeof(lane));
		state[i / sizeof(lane)] ^= lane;
	}
	permute(state);
}

void sha3(const void *data, size_t length, uint8_t *digest, size_t digest_bytes)
{
	const size_t rate = STATE_BYTES - 2 * digest_bytes;
	const uint8_t *bytes = data;
	uint64_t state[LANES] = { 0 };
	uint8_t last[STATE_BYTES] = { 0 };

	for (; length >= rate; length -= rate, bytes += rate)
		absorb(state, bytes, rate);
	memcpy(last, bytes, length);
	last[length] ^= 0x06;
	last[rate - 1] ^= 0x80;
	absorb(state, last, rate);
	memcpy(digest, state, digest_bytes);
}
