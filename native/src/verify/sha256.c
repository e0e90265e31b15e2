/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/merkle.h"

/* The first 32 bits of the fractions of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t right(uint32_t word, unsigned bits)
{
	return merkle_left(word, 32 - bits);
}

static void expand(uint32_t words[64], const uint8_t block[DIGEST_BLOCK_BYTES])
{
	for (unsigned i = 0; i < 16; i++)
		words[i] = merkle_big_word(block + sizeof(uint32_t) * i);
	for (unsigned i = 16; i < 64; i++) {
		const uint32_t a = words[i - 15], b = words[i - 2];

		words[i] = words[i - 16] + words[i - 7] +
			   (right(a, 7) ^ right(a, 18) ^ a >> 3) +
			   (right(b, 17) ^ right(b, 19) ^ b >> 10);
	}
}

static void add(uint32_t *state, const uint8_t block[DIGEST_BLOCK_BYTES])
{
	uint32_t words[64], s[SHA256_WORDS];

	expand(words, block);
	for (unsigned i = 0; i < SHA256_WORDS; i++)
		s[i] = state[i];
	for (unsigned i = 0; i < 64; i++) {
		const uint32_t one = s[7] + (right(s[4], 6) ^ right(s[4], 11) ^ right(s[4], 25)) +
				     ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + words[i];
		const uint32_t two = (right(s[0], 2) ^ right(s[0], 13) ^ right(s[0], 22)) +
				     ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

		for (unsigned j = SHA256_WORDS - 1; j; j--)
			s[j] = s[j - 1];
		s[4] += one;
		s[0] = one + two;
	}
	for (unsigned i = 0; i < SHA256_WORDS; i++)
		state[i] += s[i];
}

void sha256(const void *data, size_t length, enum digest_length order,
	    uint32_t words[SHA256_WORDS], uint8_t last[DIGEST_BLOCK_BYTES])
{
	static const uint32_t first[SHA256_WORDS] = {
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	};

	for (unsigned i = 0; i < SHA256_WORDS; i++)
		words[i] = first[i];
	merkle(data, length, order, add, words, last);
}
