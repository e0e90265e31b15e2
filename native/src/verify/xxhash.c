/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "verify/merkle.h"

enum { STRIPE_BYTES = 16 };

static const uint32_t primes[5] = {
	0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f, 0x165667b1,
};

static uint32_t word_at(const uint8_t *bytes)
{
	uint32_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/* Four sums side by side, over whole stripes. */
static uint32_t stripes(const uint8_t *bytes, size_t length, uint32_t seed)
{
	uint32_t sums[4] = { seed + primes[0] + primes[1], seed + primes[1], seed,
			     seed - primes[0] };

	for (; length >= STRIPE_BYTES; length -= STRIPE_BYTES, bytes += STRIPE_BYTES) {
		for (unsigned i = 0; i < 4; i++)
			sums[i] = primes[0] * merkle_left(sums[i] + primes[1] *
							  word_at(bytes + 4 * i), 13);
	}
	return merkle_left(sums[0], 1) + merkle_left(sums[1], 7) + merkle_left(sums[2], 12) +
	       merkle_left(sums[3], 18);
}

uint32_t xxhash32(const void *data, size_t length, uint32_t seed)
{
	const uint8_t *bytes = data, *end = bytes + length;
	uint32_t sum = length < STRIPE_BYTES ? seed + primes[4] : stripes(bytes, length, seed);

	sum += (uint32_t)length;
	for (bytes += length / STRIPE_BYTES * STRIPE_BYTES; end - bytes >= 4; bytes += 4)
		sum = primes[3] * merkle_left(sum + primes[2] * word_at(bytes), 17);
	for (; bytes < end; bytes++)
		sum = primes[0] * merkle_left(sum + primes[4] * *bytes, 11);
	sum = primes[1] * (sum ^ sum >> 15);
	sum = primes[2] * (sum ^ sum >> 13);
	return sum ^ sum >> 16;
}
