/* SPDX-License-Identifier: Apache-2.0 */
#include "core.h"
#include "stats/histogram.h"
#include "util/random.h"

/* The value that stands for a bucket is off by less than 1/128, everywhere. */
static void middle_is_close(void **state)
{
	struct random r = { 1 };

	(void)state;
	for (int i = 0; i < 200000; i++) {
		const uint64_t value = random_next(&r) >> (17 + random_below(&r, 47));
		const uint64_t middle = histogram_value_ns(histogram_index(value));
		const uint64_t error = middle > value ? middle - value : value - middle;

		assert_true(error * 128 <= value);
	}
}

static void buckets_are_in_order(void **state)
{
	(void)state;
	for (uint32_t i = 0; i + 1 < HISTOGRAM_BUCKETS; i++) {
		assert_int_equal(histogram_index(histogram_value_ns(i)), i);
		assert_true(histogram_value_ns(i) < histogram_value_ns(i + 1));
	}
	assert_int_equal(histogram_index(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
	assert_true(histogram_value_ns(HISTOGRAM_BUCKETS - 1) > 3600ull * 1000000000);
}

/* The layout that `bins` of a document are read by: fio's. */
static void buckets_are_where_fio_has_them(void **state)
{
	static const uint64_t rows[][3] = {	/* value, index, the middle of that bucket */
		{ 0, 0, 0 }, { 127, 127, 127 }, { 128, 128, 129 }, { 129, 128, 129 },
		{ 130, 129, 131 }, { 255, 191, 255 }, { 256, 192, 258 }, { 511, 255, 510 },
		{ 1000000, 954, 1003520 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(histogram_index(rows[i][0]), rows[i][1]);
		assert_int_equal(histogram_value_ns((uint32_t)rows[i][1]), rows[i][2]);
	}
	assert_int_equal(histogram_index((uint64_t)1 << 47), HISTOGRAM_BUCKETS - 1);
	assert_int_equal(histogram_index(((uint64_t)1 << 47) - 1), HISTOGRAM_BUCKETS - 1);
	assert_int_equal(HISTOGRAM_BUCKETS, 2688);
}

static int ascending(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Against the sorted values themselves: the same rank, within 1/128. */
static void percentiles_match_sorted_values(void **state)
{
	enum { N = 10007 };
	static const double percents[] = { 0, 1, 50, 90, 99, 99.9, 99.99, 100 };
	static struct histogram h;
	static uint64_t values[N];
	uint64_t found[8];
	struct random r = { 7 };

	(void)state;
	for (int i = 0; i < N; i++) {
		values[i] = random_next(&r) >> (20 + random_below(&r, 40));
		histogram_add(&h, values[i]);
	}
	qsort(values, N, sizeof(values[0]), ascending);
	histogram_percentiles(&h, percents, 8, found);
	for (int i = 0; i < 8; i++) {
		uint64_t rank = (uint64_t)(percents[i] * N / 100);

		rank += (double)rank < percents[i] * N / 100;
		rank = rank ? rank : 1;
		assert_int_equal(found[i], histogram_value_ns(histogram_index(values[rank - 1])));
	}
	assert_int_equal(histogram_count(&h), N);
}

static void empty_gives_zeros(void **state)
{
	static const double percents[] = { 1, 99 };
	static const struct histogram h;
	uint64_t found[2] = { 5, 5 };

	(void)state;
	histogram_percentiles(&h, percents, 2, found);
	assert_int_equal(found[0], 0);
	assert_int_equal(found[1], 0);
}

static void merging_is_exact(void **state)
{
	static struct histogram a, b;
	struct random r = { 3 };

	(void)state;
	for (int i = 0; i < 1000; i++)
		histogram_add(i % 2 ? &a : &b, random_next(&r) >> 30);
	histogram_add_n(&a, 77, 5);
	histogram_merge(&a, &b);
	assert_int_equal(histogram_count(&a), 1005);
	assert_true(a.buckets[77] >= 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(middle_is_close),
		cmocka_unit_test(buckets_are_in_order),
		cmocka_unit_test(buckets_are_where_fio_has_them),
		cmocka_unit_test(percentiles_match_sorted_values),
		cmocka_unit_test(empty_gives_zeros),
		cmocka_unit_test(merging_is_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
