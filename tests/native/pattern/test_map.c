/* SPDX-License-Identifier: Apache-2.0 */
#include "core.h"

#include <errno.h>

#include "pattern/pattern.h"

enum { UNITS = 1000, UNIT = 4096 };

/* How often each unit of the extent came, over all passes; how many I/Os there were. */
struct seen {
	uint32_t times[UNITS], count;
};

static void count_all(struct seen *s, const struct job *job, uint64_t rest_bytes)
{
	const struct pattern_extent extent = { 512, UNITS * UNIT + rest_bytes };
	struct pattern p;
	struct pattern_io ios[64];
	struct err err = { 0 };
	uint32_t n;

	memset(s, 0, sizeof(*s));
	assert_int_equal(pattern_init(&p, job, &extent, 1, 42, &err), 0);
	while ((n = pattern_fill(&p, ios, 1 + s->count % 64))) {
		for (uint32_t i = 0; i < n; i++) {
			const uint64_t start = ios[i].offset - 512;

			assert_int_equal(start % UNIT, 0);
			assert_true(ios[i].length && start + ios[i].length <= UNITS * UNIT);
			for (uint64_t at = start; at < start + ios[i].length; at += UNIT)
				s->times[at / UNIT]++;
		}
		s->count += n;
	}
	pattern_release(&p);
}

static void assert_each(const struct seen *s, uint32_t times)
{
	for (int i = 0; i < UNITS; i++)
		assert_int_equal(s->times[i], times);
}

static struct job ranged_job(uint32_t rw)
{
	struct job job = core_job("null", rw | RW_RANDOM, 0);

	for (unsigned dir = 0; dir < DIR_DATA_COUNT; dir++)
		job.block.ranges[dir] = (struct size_range){ UNIT, 4 * UNIT };
	return job;
}

static void a_range_covers_each_unit_once_a_loop(void **state)
{
	static const uint32_t kinds[] = { RW_READ, RW_WRITE, RW_READ | RW_WRITE, RW_TRIM };
	struct seen s;

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct job job = ranged_job(kinds[i]);

		job.time.loops = (uint32_t)i + 1;
		count_all(&s, &job, i * 1000);
		assert_each(&s, (uint32_t)i + 1);
		assert_true(s.count < (i + 1) * UNITS);
	}
}

static void a_split_covers_each_unit_once(void **state)
{
	static const struct block_share shares[] = { { UNIT, 50 }, { 16 * UNIT, 50 } };
	struct job job = core_job("null", RW_WRITE | RW_RANDOM, 0);
	struct seen s;

	(void)state;
	job.block.bytes[DIR_WRITE] = 16 * UNIT;
	job.block.splits[DIR_WRITE] = (struct block_split){ shares, 2 };
	count_all(&s, &job, 100);
	assert_each(&s, 1);
}

/* A block that is no multiple of the smallest has its last unit for itself. */
static void unaligned_blocks_share_no_unit(void **state)
{
	struct job job = ranged_job(RW_WRITE);
	struct seen s;

	(void)state;
	job.block.unaligned = true;
	count_all(&s, &job, 0);
	assert_each(&s, 1);
}

static void more_than_a_pass_begins_another(void **state)
{
	struct job job = ranged_job(RW_WRITE);
	struct seen s;
	uint64_t all = 0;

	(void)state;
	job.amount.io_size.bytes = 2 * UNITS * UNIT + 40 * UNIT;
	count_all(&s, &job, 0);
	for (int i = 0; i < UNITS; i++) {
		assert_in_range(s.times[i], 2, 3);
		all += s.times[i];
	}
	assert_in_range(all, 2 * UNITS + 40, 2 * UNITS + 43);	/* the last one is whole */
}

/* Directions whose smallest blocks differ have a map each. */
static void directions_have_maps_of_their_own(void **state)
{
	struct job job = ranged_job(RW_READ | RW_WRITE);
	struct seen s;

	(void)state;
	job.block.ranges[DIR_WRITE].min_bytes = 2 * UNIT;
	count_all(&s, &job, 0);
	for (int i = 0; i < UNITS; i++)
		assert_true(s.times[i] <= 2);
}

static void without_a_map_units_come_again(void **state)
{
	struct seen s;

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct job job = ranged_job(RW_WRITE);
		uint32_t again = 0;

		job.norandommap = i == 0;
		job.generator = i == 1 ? GENERATOR_LFSR : GENERATOR_TAUSWORTHE;
		job.block.align[DIR_WRITE] = i == 2 ? 2 * UNIT : 0;
		count_all(&s, &job, 0);
		for (int j = 0; j < UNITS; j++)
			again += s.times[j] > 1;
		assert_in_range(again, 100, 500);
	}
}

static void a_map_too_large_for_memory_is_told(void **state)
{
	const struct pattern_extent extent = { 0, 1ull << 62 };
	struct job job = ranged_job(RW_WRITE);
	struct pattern p;
	struct pattern_io io;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(pattern_init(&p, &job, &extent, 1, 42, &err), -ENOMEM);
	assert_non_null(strstr(err.text, "softrandommap=1"));
	pattern_release(&p);
	job.softrandommap = true;
	assert_int_equal(pattern_init(&p, &job, &extent, 1, 42, &err), 0);
	assert_int_equal(pattern_fill(&p, &io, 1), 1);
	pattern_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_range_covers_each_unit_once_a_loop),
		cmocka_unit_test(a_split_covers_each_unit_once),
		cmocka_unit_test(unaligned_blocks_share_no_unit),
		cmocka_unit_test(more_than_a_pass_begins_another),
		cmocka_unit_test(directions_have_maps_of_their_own),
		cmocka_unit_test(without_a_map_units_come_again),
		cmocka_unit_test(a_map_too_large_for_memory_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
