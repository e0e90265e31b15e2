/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "core.h"
#include "worker/account.h"

/* A loop that has done nothing, of a job on one file; ticks are ns. */
static struct worker_stats stats;
static struct worker_shared shared;
static struct loop loop;
static struct job job;
static char data[4096];

static struct loop *fresh(void)
{
	static struct engine_file file = { .path = "/the/file" };

	clock_init(false);
	worker_stats_init(&stats);
	memset(&shared, 0, sizeof(shared));
	job = core_job("psync", RW_READ, 4096);
	loop = (struct loop){ .stats = &stats, .shared = &shared, .job = &job, .event_ticks = 1 };
	loop.engine.files = &file;
	loop.engine.files_count = 1;
	return &loop;
}

/* Created at 100, handed over at 150, of 4096 bytes at 8192. */
static struct io io_of(uint8_t dir, int32_t result)
{
	return (struct io){ .dir = dir, .length = 4096, .offset = 8192, .result = result,
			    .start_ticks = 100, .issue_ticks = 150, .buffer = data, .home = data };
}

static void calls_have_levels_and_issues_have_depths(void **state)
{
	static const uint32_t depths[][2] = {
		{ 1, 0 }, { 2, 1 }, { 3, 1 }, { 4, 2 }, { 7, 2 }, { 8, 3 }, { 15, 3 }, { 16, 4 },
		{ 31, 4 }, { 32, 5 }, { 63, 5 }, { 64, 6 }, { 128, 6 }, { 5000, 6 },
	};
	static const uint32_t calls[][2] = {
		{ 0, 0 }, { 1, 1 }, { 4, 1 }, { 5, 2 }, { 8, 2 }, { 9, 3 }, { 16, 3 }, { 17, 4 },
		{ 32, 4 }, { 33, 5 }, { 64, 5 }, { 65, 6 }, { 128, 6 }, { 129, 6 }, { 5000, 6 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++)
		assert_int_equal(account_depth_level(depths[i][0]), depths[i][1]);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		assert_int_equal(account_level(calls[i][0]), calls[i][1]);
}

/* A batch counts as its I/Os one by one, wherever it begins and ends. */
static void each_issue_of_a_batch_has_its_depth(void **state)
{
	(void)state;
	for (uint32_t before = 0; before < 70; before += 3) {
		for (uint32_t n = 1; n < 140; n += 5) {
			static struct worker_stats one, batch;

			worker_stats_init(&one);
			worker_stats_init(&batch);
			for (uint32_t i = 0; i < n; i++)
				account_submit(&one, before + i, 1);
			account_submit(&batch, before, n);
			assert_memory_equal(one.depth_levels, batch.depth_levels,
					    sizeof(one.depth_levels));
			assert_int_equal(one.submit_levels[1], n);
			assert_int_equal(batch.submit_levels[account_level(n)], 1);
		}
	}
}

static void a_run_counts_its_ios_and_both_latencies(void **state)
{
	struct loop *l = fresh();
	const struct io io = io_of(DIR_WRITE, 4096);
	const struct dir_stats *d = &stats.dirs[DIR_WRITE];

	(void)state;
	account_run(l, &io, 3, 12288, 1150, false);
	assert_true(d->ios == 3 && d->bytes == 12288);
	assert_true(d->clat.sum == 3000 && d->clat.min == 1000 && d->clat.max == 1000);
	assert_int_equal(d->clat_histogram.buckets[histogram_index(1000)], 3);
	assert_true(d->slat.sum == 150 && d->slat.min == 50 && d->slat.max == 50);
	assert_true(d->lat.min == 1050 && d->lat.max == 1050);
	assert_true(d->lat.sum_squares == 3 * 1050 * 1050);
	account_run(l, &io, 1, 4096, 1150, true);
	assert_true(d->ios == 4 && d->slat.sum == 150 && d->clat.sum == 4000);
	assert_int_equal(stats.dirs[DIR_READ].ios, 0);
}

static void whole_is_what_moved_all(void **state)
{
	const struct io sync = { .dir = DIR_SYNC }, full = io_of(DIR_READ, 4096),
			part = io_of(DIR_READ, 4095);

	(void)state;
	assert_true(account_whole(&full, true) && account_whole(&full, false));
	assert_true(!account_whole(&part, true) && !account_whole(&part, false));
	assert_false(account_whole(&sync, true));
}

static void a_sync_has_a_latency_of_its_own(void **state)
{
	struct loop *l = fresh();
	struct io io = { .dir = DIR_SYNC, .issue_ticks = 150 };

	(void)state;
	assert_true(account_odd(l, &io, 1150));
	assert_true(stats.sync_lat.n == 1 && stats.sync_lat.sum == 1000);
	assert_int_equal(stats.sync_histogram.buckets[histogram_index(1000)], 1);
	assert_int_equal(shared.error, 0);
}

static void the_rest_of_a_short_io_goes_on(void **state)
{
	struct loop *l = fresh();
	struct io io = io_of(DIR_READ, 1000);
	const struct dir_stats *d = &stats.dirs[DIR_READ];

	(void)state;
	assert_false(account_odd(l, &io, 1150));
	assert_true(io.offset == 9192 && io.length == 3096 && io.buffer == data + 1000);
	io.result = 96;
	assert_false(account_odd(l, &io, 1150));
	assert_true(io.offset == 9288 && io.length == 3000 && io.buffer == data + 1096);
	assert_true(d->short_ios == 1 && d->bytes == 1096 && !d->ios);
	io.result = 0;				/* the end of the file */
	assert_true(account_odd(l, &io, 1150));
	assert_true(d->ios == 1 && d->bytes == 1096 && d->clat.sum == 1000);
	assert_int_equal(d->slat.sum, 50);
	assert_true(!shared.error && !loop.error && loop.event_ticks == 1);
}

static void a_failure_ends_the_loop_and_the_first_is_told(void **state)
{
	static const struct { uint8_t dir; int32_t result; int error; const char *text; } rows[] = {
		{ DIR_WRITE, -ENOSPC, ENOSPC, "t: write of 4096 bytes at offset 8192 of "
					      "'/the/file' failed: No space left" },
		{ DIR_READ, 0, EIO, "read of 4096 bytes at offset 8192 of '/the/file' failed: "
				    "nothing there: the file ends before" },
		{ DIR_WRITE, 0, EIO, "the kernel took nothing" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct loop *l = fresh();
		struct io io = io_of(rows[i].dir, rows[i].result);

		assert_true(account_odd(l, &io, 1150));
		assert_true(l->error == rows[i].error && !l->event_ticks);
		assert_int_equal(shared.error, rows[i].error);
		assert_non_null(strstr(shared.error_text, rows[i].text));
		io.result = -EPERM;
		assert_true(account_odd(l, &io, 1150));
		assert_int_equal(l->error, rows[i].error);
		assert_int_equal(shared.error, rows[i].error);
		assert_true(stats.errors[0].count == 1 && stats.errors[1].error == EPERM);
		assert_int_equal(stats.errors[1].count, 1);
	}
}

static void an_error_without_files_names_none(void **state)
{
	struct loop *l = fresh();
	struct io io = io_of(DIR_READ, -EIO);

	(void)state;
	l->engine.files_count = 0;
	assert_true(account_odd(l, &io, 1150));
	assert_non_null(strstr(shared.error_text, "of '' failed"));
}

static void count_record(void *context, const struct log_record *r)
{
	((struct log_record *)context)[0] = *r;
	((struct log_record *)context)[1].offset++;
}

/* Logs and histograms of whole I/Os alone; the log has its times and its place. */
static void extras_are_of_whole_ios(void **state)
{
	struct loop *l = fresh();
	struct io whole = io_of(DIR_WRITE, 4096), part = io_of(DIR_WRITE, 5),
		  sync = { .dir = DIR_SYNC };
	struct io *done[] = { &part, &whole, &sync };
	struct log_record records[2] = { { 0 } };
	struct log_buffer log;
	const struct dir_stats *d = &stats.dirs[DIR_WRITE];

	(void)state;
	log_buffer_init(&log);
	whole.file = 3;
	l->done = done;
	account_extras(l, 3, 1150);
	assert_int_equal(histogram_count(&d->slat_histogram), 0);
	l->log = &log;
	l->needs.each_lat = true;
	account_extras(l, 3, 1150);
	assert_int_equal(d->slat_histogram.buckets[histogram_index(50)], 1);
	assert_int_equal(d->lat_histogram.buckets[histogram_index(1050)], 1);
	assert_int_equal(histogram_count(&d->slat_histogram), 1);
	assert_int_equal(histogram_count(&d->lat_histogram), 1);
	log_buffer_each(&log, count_record, records);
	assert_int_equal(records[1].offset, 1);
	assert_true(records[0].start_ticks == 100 && records[0].issue_ticks == 150);
	assert_true(records[0].done_ticks == 1150 && records[0].offset == 8192);
	assert_true(records[0].bytes == 4096 && records[0].file == 3);
	assert_int_equal(records[0].dir, DIR_WRITE);
	log_buffer_release(&log);
}

static void what_is_issued_is_recorded(void **state)
{
	struct loop *l = fresh();
	struct io io = io_of(DIR_SYNC, 0);
	struct log_record records[2] = { { 0 } };
	struct log_buffer iolog;

	(void)state;
	log_buffer_init(&iolog);
	l->iolog = &iolog;
	io.data_only = 1;
	io.file = 2;
	account_record(l, &io);
	log_buffer_each(&iolog, count_record, records);
	assert_int_equal(records[1].offset, 1);
	assert_true(records[0].start_ticks == 100 && records[0].offset == 8192);
	assert_true(records[0].bytes == 4096 && records[0].file == 2 && records[0].data_only);
	assert_int_equal(records[0].dir, DIR_SYNC);
	log_buffer_release(&iolog);
}

/* From when it was due, of whole I/Os that were, and not while blocks are looked at again. */
static void intended_latency_counts_from_the_due_time(void **state)
{
	struct loop *l = fresh();
	struct io due = io_of(DIR_READ, 4096), part = io_of(DIR_READ, 5),
		  any = io_of(DIR_READ, 4096), sync = { .dir = DIR_SYNC, .due_ticks = 10 };
	struct io *done[] = { &part, &any, &sync, &due };
	const struct dir_stats *d = &stats.dirs[DIR_READ];

	(void)state;
	due.due_ticks = part.due_ticks = 50;
	l->done = done;
	account_slow(l, 4, 1150);
	assert_true(d->intended.n == 1 && d->intended.sum == 1100);
	assert_int_equal(d->intended_histogram.buckets[histogram_index(1100)], 1);
	assert_int_equal(shared.error, 0);
}

/* A job that also writes looks at its blocks at the end only. */
static void a_bad_block_is_told_and_ends_a_job_that_asks(void **state)
{
	static const struct { uint32_t rw; bool verifying, fatal, told; } rows[] = {
		{ RW_READ, false, false, true }, { RW_READ, false, true, true },
		{ RW_READ | RW_WRITE, false, true, false },
		{ RW_READ | RW_WRITE, true, false, true },
	};

	struct written_block slot = { .length = 4096 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct loop *l = fresh();
		struct io read = io_of(DIR_READ, 4096), write = io_of(DIR_WRITE, 4096);
		struct io *done[] = { &write, &read };

		l->engine.ops = engine_find("psync");
		job.rw = rows[i].rw;
		job.verify.method = VERIFY_CRC32C;
		job.verify.fatal = rows[i].fatal;
		l->slow.checking.on = rows[i].verifying;
		l->slow.checking.verify.job = &job;
		l->slow.checking.slots = &slot;
		l->done = done;
		account_slow(l, 2, 1150);
		assert_int_equal(l->slow.checking.error, rows[i].told ? EILSEQ : 0);
		assert_int_equal(shared.error, rows[i].told ? EILSEQ : 0);
		assert_int_equal(stats.errors[0].count, rows[i].told);
		assert_int_equal(!l->event_ticks, rows[i].told && rows[i].fatal);
		assert_int_equal(!!strstr(shared.error_text, "t: verify: "), rows[i].told);
		assert_int_equal(!!strstr(shared.error_text, "('/the/file')"), rows[i].told);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_have_levels_and_issues_have_depths),
		cmocka_unit_test(each_issue_of_a_batch_has_its_depth),
		cmocka_unit_test(a_run_counts_its_ios_and_both_latencies),
		cmocka_unit_test(whole_is_what_moved_all),
		cmocka_unit_test(a_sync_has_a_latency_of_its_own),
		cmocka_unit_test(the_rest_of_a_short_io_goes_on),
		cmocka_unit_test(a_failure_ends_the_loop_and_the_first_is_told),
		cmocka_unit_test(an_error_without_files_names_none),
		cmocka_unit_test(extras_are_of_whole_ios),
		cmocka_unit_test(what_is_issued_is_recorded),
		cmocka_unit_test(intended_latency_counts_from_the_due_time),
		cmocka_unit_test(a_bad_block_is_told_and_ends_a_job_that_asks),
	};

	return cmocka_run_group_tests(tests, core_setup, core_teardown);
}
