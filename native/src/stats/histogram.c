/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/histogram.h"

/*
 * Bucket i of group g > 0 holds the values (64 + i) << (g - 1) and the 2^(g-1) - 1
 * after them; histogram_index() puts group 0 and 1 side by side, both of width 1.
 */
uint64_t histogram_value_ns(uint32_t index)
{
	const uint32_t group = index >> HISTOGRAM_MANTISSA_BITS;

	if (group <= 1)
		return index;
	const uint64_t mantissa = (index & (HISTOGRAM_BUCKETS_PER_GROUP - 1))
				  + HISTOGRAM_BUCKETS_PER_GROUP;

	return (mantissa << (group - 1)) + (1ull << (group - 2));
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (from->buckets[i])
			into->buckets[i] += from->buckets[i];
	}
}

uint64_t histogram_count(const struct histogram *h)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		count += h->buckets[i];
	return count;
}

/* The rank that a percentile asks for, 1-based: ceil(count * percent / 100), with
 * room for a percent that binary cannot hold (99.9 of 1000 is the 999th). */
static uint64_t percentile_rank(uint64_t count, double percent)
{
	const double exact = (double)count * percent / 100.0;
	uint64_t rank = (uint64_t)exact;

	if (exact - (double)rank > 1e-9 * exact)
		rank++;
	return rank ? rank : 1;
}

void histogram_percentiles(const struct histogram *h, const double *percents,
			   uint32_t n, uint64_t *values_ns)
{
	const uint64_t count = histogram_count(h);
	uint64_t below = 0;
	uint32_t done = 0;

	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS && count && done < n; i++) {
		below += h->buckets[i];
		while (done < n && h->buckets[i] &&
		       (below >= percentile_rank(count, percents[done]) || below == count))
			values_ns[done++] = histogram_value_ns(i);
	}
	while (done < n)
		values_ns[done++] = 0;
}
