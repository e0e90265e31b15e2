/* SPDX-License-Identifier: Apache-2.0 */
#include "core.h"
#include "pattern/pattern.h"

enum { PLENTY = 100000 };

static struct pattern_io ios[PLENTY];

/* All I/Os of a job (at most PLENTY), asked for in uneven batches. */
static uint32_t all(const struct job *job, const struct pattern_extent *extents, uint32_t n)
{
	struct pattern p;
	struct err err = { 0 };
	uint32_t count = 0, got;

	assert_int_equal(pattern_init(&p, job, extents, n, 42, &err), 0);
	while (count + 128 < PLENTY && (got = pattern_fill(&p, ios + count, 1 + count % 128)))
		count += got;
	pattern_release(&p);
	return count;
}

/* Each block of the extent exactly `times` times, by either direction. */
static void assert_covers(uint32_t count, uint64_t start, uint64_t blocks, uint32_t times)
{
	uint8_t *seen = calloc(blocks, 1);

	assert_non_null(seen);
	assert_int_equal(count, blocks * times);
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t block = (ios[i].offset - start) / 4096;

		assert_int_equal((ios[i].offset - start) % 4096, 0);
		assert_true(block < blocks);
		seen[block]++;
	}
	for (uint64_t i = 0; i < blocks; i++)
		assert_int_equal(seen[i], times);
	free(seen);
}

static void sequential_goes_through_once(void **state)
{
	const struct job job = core_job("null", RW_READ, 0);
	const struct pattern_extent extent = { 8192, 50000 };	/* 12 blocks and a rest */
	const uint32_t count = all(&job, &extent, 1);

	(void)state;
	assert_int_equal(count, 12);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(ios[i].offset, 8192 + i * 4096);
		assert_int_equal(ios[i].dir, DIR_READ);
		assert_int_equal(ios[i].length, 4096);
	}
}

static void random_covers_each_block_once_a_pass(void **state)
{
	static const uint64_t blocks[] = { 1, 2, 3, 16, 17, 1000, 4095, 4096, 4097, 30000 };
	struct job job = core_job("null", RW_WRITE | RW_RANDOM, 0);

	(void)state;
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		const struct pattern_extent extent = { 512, blocks[i] * 4096 + 100 };

		job.time.loops = (uint32_t)(i % 3 + 1);
		assert_covers(all(&job, &extent, 1), 512, blocks[i], job.time.loops);
	}
}

static void mixed_random_shares_the_map(void **state)
{
	const struct job job = core_job("null", RW_READ | RW_WRITE | RW_RANDOM, 0);
	const struct pattern_extent extent = { 0, 10000 * 4096 };
	const uint32_t count = all(&job, &extent, 1);
	uint32_t reads = 0;

	(void)state;
	assert_covers(count, 0, 10000, 1);
	for (uint32_t i = 0; i < count; i++)
		reads += ios[i].dir == DIR_READ;
	assert_in_range(reads, 4700, 5300);
}

static void rwmixread_is_kept(void **state)
{
	static const uint32_t percents[] = { 0, 10, 90, 100 };
	struct job job = core_job("null", RW_READ | RW_WRITE | RW_RANDOM, 0);
	const struct pattern_extent extent = { 0, 20000 * 4096 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		uint32_t count, reads = 0;

		job.rwmixread_percent = percents[i];
		count = all(&job, &extent, 1);
		for (uint32_t j = 0; j < count; j++)
			reads += ios[j].dir == DIR_READ;
		assert_true(reads <= percents[i] * 200 + 400 && reads + 400 >= percents[i] * 200);
		assert_true(percents[i] % 100 || reads == percents[i] * 200);
	}
}

static void mixed_sequential_keeps_two_positions(void **state)
{
	const struct job job = core_job("null", RW_READ | RW_WRITE, 0);
	const struct pattern_extent extent = { 0, 64 * 4096 };
	const uint32_t count = all(&job, &extent, 1);
	uint64_t next[2] = { 0, 0 };

	(void)state;
	assert_int_equal(count, 64);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(ios[i].offset, next[ios[i].dir]);
		next[ios[i].dir] += 4096;
	}
	assert_true(next[0] && next[1]);
}

static void same_seed_same_order(void **state)
{
	const struct job job = core_job("null", RW_READ | RW_RANDOM, 0);
	const struct pattern_extent extent = { 0, 500 * 4096 };
	static struct pattern_io first[500];

	(void)state;
	all(&job, &extent, 1);
	memcpy(first, ios, sizeof(first));
	all(&job, &extent, 1);
	assert_memory_equal(first, ios, sizeof(first));
	assert_true(pattern_seed(&job, 0, 0) == pattern_seed(&job, 0, 0));
	assert_true(pattern_seed(&job, 0, 0) != pattern_seed(&job, 0, 1));
	assert_true(pattern_seed(&job, 0, 0) != pattern_seed(&job, 1, 0));
}

static void randrepeat_off_differs(void **state)
{
	struct job job = core_job("null", RW_READ | RW_RANDOM, 0);

	(void)state;
	job.randrepeat = false;
	assert_true(pattern_seed(&job, 0, 0) != pattern_seed(&job, 0, 0));
}

static void norandommap_repeats_blocks(void **state)
{
	struct job job = core_job("null", RW_READ | RW_RANDOM, 0);
	const struct pattern_extent extent = { 0, 1000 * 4096 };
	uint8_t seen[1000] = { 0 };
	uint32_t missing = 0;

	(void)state;
	job.norandommap = true;
	assert_int_equal(all(&job, &extent, 1), 1000);
	for (int i = 0; i < 1000; i++) {
		assert_true(ios[i].offset < 1000 * 4096);
		seen[ios[i].offset / 4096] = 1;
	}
	for (int i = 0; i < 1000; i++)
		missing += !seen[i];
	assert_in_range(missing, 300, 440);	/* 1/e of them, give or take */
}

static void successive_random_blocks_are_unrelated(void **state)
{
	const struct job job = core_job("null", RW_READ | RW_RANDOM, 0);
	const struct pattern_extent extent = { 0, 65536 * 4096ull };
	uint32_t pairs[16][16] = { { 0 } };
	double chi = 0;

	(void)state;
	assert_int_equal(all(&job, &extent, 1), 65536);
	for (int i = 1; i < 65536; i++)
		pairs[ios[i - 1].offset / 4096 / 4096][ios[i].offset / 4096 / 4096]++;
	for (int i = 0; i < 256; i++)
		chi += (pairs[i / 16][i % 16] - 256.0) * (pairs[i / 16][i % 16] - 256.0) / 256;
	assert_true(chi < 400);			/* 255 degrees of freedom */
}

static void io_size_and_number_ios_limit(void **state)
{
	struct job job = core_job("null", RW_READ, 0);
	const struct pattern_extent extent = { 0, 16 * 4096 };

	(void)state;
	job.amount.io_size.bytes = 10240;
	assert_int_equal(all(&job, &extent, 1), 3);
	job.amount.io_size.bytes = 2 * 16 * 4096;
	assert_covers(all(&job, &extent, 1), 0, 16, 2);
	job.rw |= RW_RANDOM;
	assert_covers(all(&job, &extent, 1), 0, 16, 2);
	job.amount.ios = 5;
	assert_int_equal(all(&job, &extent, 1), 5);
}

/* The next loop goes on where number_ios ended the one before. */
static void number_ios_ends_a_loop(void **state)
{
	const struct pattern_extent extent = { 0, 16 * 4096 };
	struct job job = core_job("null", RW_READ, 0);

	(void)state;
	job.amount.ios = 3;
	job.time.loops = 4;
	assert_int_equal(all(&job, &extent, 1), 12);
	for (uint32_t i = 0; i < 12; i++)
		assert_int_equal(ios[i].offset, i * 4096);
	job.amount.ios = 20;
	assert_int_equal(all(&job, &extent, 1), 4 * 16);
	assert_int_equal(ios[16].offset, 0);
}

static void a_whole_mix_holds_against_rates(void **state)
{
	static const struct { uint32_t percent, dir; } rows[] = { { 100, DIR_READ },
								  { 0, DIR_WRITE } };
	const struct pattern_extent extent = { 0, 1 << 20 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		for (uint32_t random = 0; random <= RW_RANDOM; random += RW_RANDOM) {
			struct job job = core_job("null", RW_READ | RW_WRITE | random, 0);
			uint32_t count;

			job.rwmixread_percent = rows[i].percent;
			job.rate.iops[DIR_READ] = job.rate.iops[DIR_WRITE] = 100;
			count = all(&job, &extent, 1);
			assert_int_equal(count, 256);
			for (uint32_t at = 0; at < count; at++)
				assert_int_equal(ios[at].dir, rows[i].dir);
		}
	}
}

static void time_based_never_ends(void **state)
{
	struct job job = core_job("null", RW_READ | RW_RANDOM, 0);
	const struct pattern_extent extent = { 0, 16 * 4096 };
	uint32_t count;

	(void)state;
	job.time.based = true;
	job.time.runtime_ns = 1;
	count = all(&job, &extent, 1);
	assert_true(count + 256 > PLENTY);
	assert_covers(count / 16 > 200 ? 200 * 16 : 0, 0, 16, 200);
}

static void files_take_turns(void **state)
{
	const struct job job = core_job("null", RW_READ, 0);
	const struct pattern_extent extents[] = { { 0, 2 * 4096 }, { 4096, 4 * 4096 } };
	static const struct { uint16_t file; uint64_t offset; } expected[] = {
		{ 0, 0 }, { 1, 4096 }, { 0, 4096 }, { 1, 8192 }, { 1, 12288 }, { 1, 16384 },
	};

	(void)state;
	assert_int_equal(all(&job, extents, 2), 6);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(ios[i].file, expected[i].file);
		assert_int_equal(ios[i].offset, expected[i].offset);
	}
}

/* The order that fio 3.33 wrote to its iolog for these options. */
static void zones_stride(void **state)
{
	struct job job = core_job("null", RW_READ, 0);
	const struct pattern_extent extent = { 0, 64 * 4096 };
	uint64_t zone = 0;

	(void)state;
	job.zones.mode = ZONE_STRIDED;
	job.zones.size_bytes = 4 * 4096;
	job.zones.range_bytes = 8 * 4096;
	job.zones.skip.bytes = 4 * 4096;
	assert_int_equal(all(&job, &extent, 1), 64);
	for (int i = 0; i < 64; i++) {
		if (i && i % 4 == 0)
			zone = zone + 12 >= 64 ? 0 : zone + 12;
		assert_int_equal(ios[i].offset / 4096, zone + i % 4);
	}
}

static void random_zones_stay_inside(void **state)
{
	struct job job = core_job("null", RW_READ | RW_RANDOM, 0);
	const struct pattern_extent extent = { 0, 64 * 4096 };

	(void)state;
	job.zones.mode = ZONE_STRIDED;
	job.zones.size_bytes = 4 * 4096;
	job.zones.skip.bytes = 4 * 4096;
	assert_int_equal(all(&job, &extent, 1), 64);
	for (int i = 0; i < 64; i += 4) {
		uint32_t seen = 0;

		for (int j = 0; j < 4; j++) {
			const uint64_t block = ios[i + j].offset / 4096;

			assert_int_equal(block / 8, i / 4 % 8);
			seen |= 1u << block % 8;
		}
		assert_int_equal(seen, 15);
	}
}

static void directions_have_their_own_size(void **state)
{
	struct job job = core_job("null", RW_READ | RW_WRITE | RW_RANDOM, 0);
	const struct pattern_extent extent = { 0, 1 << 20 };
	uint32_t count, i;
	uint64_t bytes = 0;

	(void)state;
	job.block.bytes[DIR_WRITE] = 16384;
	count = all(&job, &extent, 1);
	for (i = 0; i < count; i++) {
		assert_int_equal(ios[i].length, ios[i].dir == DIR_READ ? 4096 : 16384);
		assert_int_equal(ios[i].offset % ios[i].length, 0);
		assert_true(ios[i].offset + ios[i].length <= 1 << 20);
		bytes += ios[i].length;
	}
	assert_in_range(bytes, 1 << 20, (1 << 20) + 16384);
}

static void impossible_sizes_are_errors(void **state)
{
	struct job job = core_job("null", RW_READ, 0);
	const struct pattern_extent extent = { 0, 100 };
	const struct pattern_extent enough = { 0, 1 << 20 };
	const struct pattern_extent half = { 0, INT64_MAX }, halves[] = { half, half, half };
	struct pattern p;
	struct err err = { 0 };

	(void)state;
	assert_true(pattern_init(&p, &job, &extent, 1, 1, &err) < 0);
	assert_non_null(strstr(err.text, "bs smaller"));
	pattern_release(&p);
	err = (struct err){ 0 };
	job.zones.mode = ZONE_STRIDED;
	job.zones.size_bytes = 512;
	assert_true(pattern_init(&p, &job, &enough, 1, 1, &err) < 0);
	assert_non_null(strstr(err.text, "zonesize"));
	pattern_release(&p);
	err = (struct err){ 0 };
	job.zones.mode = ZONE_NONE;
	assert_true(pattern_init(&p, &job, halves, 3, 1, &err) < 0);
	assert_non_null(strstr(err.text, "too large"));
	pattern_release(&p);
}

/* A gap that leads past any end leads to the first zone. */
static void zones_far_apart_begin_again(void **state)
{
	static const uint64_t skips[] = { UINT64_MAX, UINT64_MAX - 4 * 4096 + 1, 1 << 30 };
	struct job job = core_job("null", RW_READ, 0);
	const struct pattern_extent extent = { 1 << 20, 64 * 4096 };

	(void)state;
	job.zones.mode = ZONE_STRIDED;
	job.zones.size_bytes = 4 * 4096;
	for (size_t i = 0; i < sizeof(skips) / sizeof(*skips); i++) {
		job.zones.skip.bytes = skips[i];
		assert_int_equal(all(&job, &extent, 1), 64);
		for (uint32_t j = 0; j < 64; j++)
			assert_int_equal(ios[j].offset, (1 << 20) + j % 4 * 4096);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sequential_goes_through_once),
		cmocka_unit_test(random_covers_each_block_once_a_pass),
		cmocka_unit_test(mixed_random_shares_the_map),
		cmocka_unit_test(rwmixread_is_kept),
		cmocka_unit_test(mixed_sequential_keeps_two_positions),
		cmocka_unit_test(same_seed_same_order),
		cmocka_unit_test(randrepeat_off_differs),
		cmocka_unit_test(norandommap_repeats_blocks),
		cmocka_unit_test(successive_random_blocks_are_unrelated),
		cmocka_unit_test(io_size_and_number_ios_limit),
		cmocka_unit_test(number_ios_ends_a_loop),
		cmocka_unit_test(a_whole_mix_holds_against_rates),
		cmocka_unit_test(time_based_never_ends),
		cmocka_unit_test(files_take_turns),
		cmocka_unit_test(zones_stride),
		cmocka_unit_test(random_zones_stay_inside),
		cmocka_unit_test(directions_have_their_own_size),
		cmocka_unit_test(impossible_sizes_are_errors),
		cmocka_unit_test(zones_far_apart_begin_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
