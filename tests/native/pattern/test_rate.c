/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "core.h"
#include "pattern/pattern.h"
#include "pattern/rate.h"
#include "pattern/zipf.h"

static struct job rated(uint32_t rw, uint64_t reads, uint64_t writes, enum rate_process process)
{
	struct job job = core_job("null", rw, 1 << 20);

	job.rate.iops[DIR_READ] = reads;
	job.rate.iops[DIR_WRITE] = writes;
	job.rate.process = process;
	return job;
}

static void linear_arrivals_are_even(void **state)
{
	struct job job = rated(RW_READ, 1000, 0, RATE_LINEAR);
	struct rate p;

	(void)state;
	rate_init(&p, &job, 1);
	assert_true(p.on && !p.both);
	for (uint64_t i = 0; i < 1000; i++) {
		assert_int_equal(rate_due_ns(&p, DIR_READ), i * 1000000);
		rate_advance(&p, DIR_READ, 4096);
	}
}

static void a_rate_in_bytes_follows_the_block_size(void **state)
{
	struct job job = core_job("null", RW_WRITE, 1 << 20);
	struct rate p;

	(void)state;
	job.rate.bytes[DIR_WRITE] = 1000000;
	rate_init(&p, &job, 1);
	rate_advance(&p, DIR_WRITE, 500000);
	rate_advance(&p, DIR_WRITE, 250000);
	assert_int_equal(rate_due_ns(&p, DIR_WRITE), 750000000);
}

/* Exponential gaps: mean and standard deviation are both 1 ms. */
static void poisson_arrivals_have_exponential_gaps(void **state)
{
	enum { N = 100000 };
	struct job job = rated(RW_READ, 1000, 0, RATE_POISSON);
	double sum = 0, squares = 0;
	struct rate p;

	(void)state;
	rate_init(&p, &job, 7);
	for (int i = 0; i < N; i++) {
		const double before = p.next[DIR_READ];
		double gap;

		rate_advance(&p, DIR_READ, 4096);
		gap = (p.next[DIR_READ] - before) / 1e6;
		sum += gap;
		squares += gap * gap;
	}
	assert_true(fabs(sum / N - 1) < 0.02);
	assert_true(fabs(squares / N - 2) < 0.08);
}

/* With a rate for both directions it is the rates that mix them, not rwmixread. */
static void rates_choose_the_direction(void **state)
{
	struct job job = rated(RW_READ | RW_WRITE | RW_RANDOM, 1000, 250, RATE_LINEAR);
	const struct pattern_extent extent = { 0, 1 << 20 };
	struct pattern_io ios[256];
	struct pattern p;
	struct err err = { 0 };
	uint32_t reads = 0;

	(void)state;
	job.rwmixread_percent = 10;
	assert_int_equal(pattern_init(&p, &job, &extent, 1, 3, &err), 0);
	assert_int_equal(pattern_fill(&p, ios, 250), 250);
	for (int i = 0; i < 250; i++)
		reads += ios[i].dir == DIR_READ;
	assert_int_equal(reads, 200);
	pattern_release(&p);
}

static void zipf_ranks_have_their_shares(void **state)
{
	static const double thetas[] = { 0.5, 1, 1.2, 2.5 };
	enum { N = 200000, COUNT = 1000 };

	(void)state;
	for (size_t t = 0; t < 4; t++) {
		struct random r = { 42 };
		uint32_t seen[COUNT] = { 0 };
		double norm = 0;
		struct zipf z;

		zipf_init(&z, COUNT, thetas[t]);
		for (int k = 1; k <= COUNT; k++)
			norm += pow(k, -thetas[t]);
		for (int i = 0; i < N; i++) {
			const uint64_t rank = zipf_draw(&z, &r);

			assert_true(rank < COUNT);
			seen[rank]++;
		}
		for (int k = 1; k <= 20; k++) {
			const double expected = N * pow(k, -thetas[t]) / norm;

			assert_true(fabs(seen[k - 1] - expected) < 6 * sqrt(expected) + 1);
		}
	}
}

static void zipf_of_one_block_is_that_block(void **state)
{
	struct random r = { 1 };
	struct zipf z;

	(void)state;
	zipf_init(&z, 1, 1.2);
	for (int i = 0; i < 100; i++)
		assert_int_equal(zipf_draw(&z, &r), 0);
}

/* Also where a pass ends before the batch does: each I/O that is chosen comes. */
static void rates_are_kept_over_passes(void **state)
{
	struct job job = rated(RW_READ | RW_WRITE, 1000, 250, RATE_POISSON);
	const struct pattern_extent extent = { 0, 10 * 4096 };
	struct pattern_io ios[64];
	struct pattern p;
	struct rate rate;
	struct err err = { 0 };

	(void)state;
	job.amount.io_size.bytes = 1 << 30;
	assert_int_equal(pattern_init(&p, &job, &extent, 1, 3, &err), 0);
	rate_init(&rate, &job, 3);
	for (int batch = 0; batch < 100; batch++) {
		const uint32_t n = pattern_fill(&p, ios, 64);

		for (uint32_t i = 0; i < n; i++) {
			assert_int_equal(ios[i].dir, rate_first(&rate));
			rate_advance(&rate, ios[i].dir, ios[i].length);
		}
	}
	pattern_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(linear_arrivals_are_even),
		cmocka_unit_test(a_rate_in_bytes_follows_the_block_size),
		cmocka_unit_test(poisson_arrivals_have_exponential_gaps),
		cmocka_unit_test(rates_choose_the_direction),
		cmocka_unit_test(zipf_ranks_have_their_shares),
		cmocka_unit_test(zipf_of_one_block_is_that_block),
		cmocka_unit_test(rates_are_kept_over_passes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
