/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/merkle.h"

static const uint32_t constants[4] = { 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6 };

static uint32_t mixed(unsigned round, uint32_t b, uint32_t c, uint32_t d)
{
	if (round == 0)
		return (b & c) | (~b & d);
	if (round == 2)
		return (b & c) | (b & d) | (c & d);
	return b ^ c ^ d;
}

static void add(uint32_t *state, const uint8_t block[DIGEST_BLOCK_BYTES])
{
	uint32_t words[80], s[SHA1_WORDS];

	for (unsigned i = 0; i < 16; i++)
		words[i] = merkle_big_word(block + sizeof(uint32_t) * i);
	for (unsigned i = 16; i < 80; i++)
		words[i] = merkle_left(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16],
				       1);
	for (unsigned i = 0; i < SHA1_WORDS; i++)
		s[i] = state[i];
	for (unsigned i = 0; i < 80; i++) {
		const uint32_t sum = merkle_left(s[0], 5) + mixed(i / 20, s[1], s[2], s[3]) +
				     s[4] + constants[i / 20] + words[i];

		s[4] = s[3];
		s[3] = s[2];
		s[2] = merkle_left(s[1], 30);
		s[1] = s[0];
		s[0] = sum;
	}
	for (unsigned i = 0; i < SHA1_WORDS; i++)
		state[i] += s[i];
}

void sha1(const void *data, size_t length, uint32_t words[SHA1_WORDS])
{
	static const uint32_t first[SHA1_WORDS] = {
		0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0,
	};

	for (unsigned i = 0; i < SHA1_WORDS; i++)
		words[i] = first[i];
	merkle(data, length, DIGEST_LENGTH_BIG, add, words, NULL);
}
