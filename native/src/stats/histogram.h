/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_HISTOGRAM_H
#define IOGATE_HISTOGRAM_H

#include <stdint.h>

/*
 * Latency histogram: groups of 64 linear buckets, each group twice as wide as
 * the one before, 6 mantissa bits. Values below 128 ns are exact; above, the
 * middle of a bucket is off by less than 1/128 of the value. The first 29 groups
 * (1856 buckets) are laid out as fio's are, so `bins` and percentiles of the two
 * can be compared; fio clamps at 2^34 ns (17 s), this one goes on to 2^47 ns
 * (39 h) and counts what is beyond in the last bucket.
 */
enum {
	HISTOGRAM_MANTISSA_BITS = 6,
	HISTOGRAM_BUCKETS_PER_GROUP = 1 << HISTOGRAM_MANTISSA_BITS,
	HISTOGRAM_GROUPS = 42,
	HISTOGRAM_BUCKETS = HISTOGRAM_GROUPS * HISTOGRAM_BUCKETS_PER_GROUP,
};

struct histogram {
	uint64_t buckets[HISTOGRAM_BUCKETS];
};

/* Bucket of a value; a value past the range lands in the last bucket. */
static inline uint32_t histogram_index(uint64_t value_ns)
{
	if (value_ns < 2 * HISTOGRAM_BUCKETS_PER_GROUP)
		return (uint32_t)value_ns;
	const uint32_t shift = 63 - HISTOGRAM_MANTISSA_BITS
			       - (uint32_t)__builtin_clzll(value_ns);
	const uint64_t index = ((uint64_t)shift << HISTOGRAM_MANTISSA_BITS)
			       + (value_ns >> shift);
	return index < HISTOGRAM_BUCKETS ? (uint32_t)index : HISTOGRAM_BUCKETS - 1;
}

static inline void histogram_add(struct histogram *h, uint64_t value_ns)
{
	h->buckets[histogram_index(value_ns)]++;
}

static inline void histogram_add_n(struct histogram *h, uint64_t value_ns, uint64_t n)
{
	h->buckets[histogram_index(value_ns)] += n;
}

/* The value that stands for a bucket: its middle, in ns. */
uint64_t histogram_value_ns(uint32_t index);

/* into += from, bucket by bucket: exact. */
void histogram_merge(struct histogram *into, const struct histogram *from);

uint64_t histogram_count(const struct histogram *h);

/* values_ns[i] = smallest bucket value with at least percents[i] % of all counts at
 * or below it; percents ascend, 0..100. All zero for an empty histogram. */
void histogram_percentiles(const struct histogram *h, const double *percents,
			   uint32_t n, uint64_t *values_ns);

#endif
