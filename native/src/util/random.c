/* SPDX-License-Identifier: Apache-2.0 */
#include "util/random.h"

void permutation_init(struct permutation *p, uint64_t count, struct random *seed)
{
	const uint32_t bits = count > 1 ? 64 - (uint32_t)__builtin_clzll(count - 1) : 0;

	p->count = count;
	p->mask = bits ? UINT64_MAX >> (64 - bits) : 0;
	p->shift = bits > 1 ? (bits + 1) / 2 : 1;
	for (int i = 0; i < 3; i++)
		p->keys[i] = random_next(seed) & p->mask;
}
