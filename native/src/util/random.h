/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_RANDOM_H
#define IOGATE_RANDOM_H

#include <stdint.h>

/*
 * Random numbers and random order without memory. The generator adds an odd
 * constant and mixes (SplitMix64): one 64-bit state, any seed is good.
 */
struct random {
	uint64_t state;
};

static inline uint64_t random_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static inline uint64_t random_next(struct random *r)
{
	r->state += 0x9e3779b97f4a7c15u;
	return random_mix(r->state);
}

/* Uniform in 0 .. bound-1 by multiply and shift: no division; the bias is below
 * bound / 2^64. */
static inline uint64_t random_below(struct random *r, uint64_t bound)
{
	return (uint64_t)(((unsigned __int128)random_next(r) * bound) >> 64);
}

/*
 * A random order of 0 .. count-1: permutation_at(p, i) for i = 0 .. count-1 gives
 * each number exactly once. Three rounds of key, odd multiply and xor-shift are a
 * bijection of the next power of two; a number past the end is sent round again
 * until it lands inside (less than two trips on average), which keeps it one. Fewer
 * rounds leave neighbours visibly related (chi-square of successive pairs).
 */
struct permutation {
	uint64_t count, mask, shift;
	uint64_t keys[3];
};

void permutation_init(struct permutation *p, uint64_t count, struct random *seed);

static inline uint64_t permutation_at(const struct permutation *p, uint64_t i)
{
	do {
		i = ((i ^ p->keys[0]) * 0xbf58476d1ce4e5b9u) & p->mask;
		i ^= i >> p->shift;
		i = ((i ^ p->keys[1]) * 0x94d049bb133111ebu) & p->mask;
		i ^= i >> p->shift;
		i = ((i ^ p->keys[2]) * 0xd6e8feb86659fd93u) & p->mask;
		i ^= i >> p->shift;
	} while (i >= p->count);
	return i;
}

#endif
