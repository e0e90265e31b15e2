/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "core.h"
#include "job/distribution.h"
#include "pattern/pattern.h"
#include "util/arena.h"

static const uint64_t ms = 1000000;
static const char *const deep_engines[] = { "libaio", "io_uring", "posixaio", "null" };

static struct worker_stats *run(struct job *job, struct result *result)
{
	struct err err;

	assert_int_equal(core_run(job, 1, result, &err), 0);
	assert_string_equal(result->rows[0].error_text, "");
	return result->rows[0].stats;
}

/* By default one I/O a call; in batches only those asked for. */
static void batches_are_as_asked(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		struct job job = core_job(deep_engines[i], RW_READ, 1 << 20);
		struct result result;

		job.depth.iodepth = 16;
		assert_int_equal(run(&job, &result)->submit_levels[1], 256);
		result_release(&result);
		job.depth.batch_submit = 16;
		job.depth.batch_complete_min = 16;
		assert_int_equal(run(&job, &result)->submit_levels[3], 16);
		assert_int_equal(result.rows[0].stats->complete_levels[3], 16);
		result_release(&result);
		job.depth.batch_complete_min = 1;
		job.depth.batch_complete_max = 1;
		assert_int_equal(run(&job, &result)->complete_levels[1], 256);
		result_release(&result);
	}
}

static void submit_levels_of_null(void **state)
{
	struct job job = core_job("null", RW_READ, 1 << 20);
	struct result result;

	(void)state;
	job.depth.iodepth = 32;
	assert_int_equal(run(&job, &result)->submit_levels[4], 8);
	result_release(&result);
	job.depth.batch_submit = 1;
	assert_int_equal(run(&job, &result)->submit_levels[1], 256);
	result_release(&result);
}

/* The slow features, on every engine: all I/Os are done, and each is measured. */
static void slow_features_lose_nothing(void **state)
{
	(void)state;
	for (int i = 0; i < 4 * 6; i++) {
		struct job job = core_job(deep_engines[i % 4], RW_READ | RW_WRITE, 1 << 20);
		struct result result;
		const struct worker_stats *s;
		uint64_t ios = 0, intended = 0;

		job.depth.iodepth = 8;
		job.process.thread = i % 2;
		switch (i / 4) {
		case 0: job.depth.low = 2; break;
		case 1: job.depth.batch_complete_min = 0; break;
		case 2: job.think.pause_ns = 1000; job.think.blocks = 50; break;
		case 3: job.think.pause_ns = ms; job.think.spin_ns = ms;
			job.think.iotime_ns = 5 * ms; break;
		case 4: job.rate.iops[DIR_READ] = job.rate.iops[DIR_WRITE] = 100000; break;
		case 5: job.rate.bytes[DIR_READ] = 1 << 30; job.rate.bytes[DIR_WRITE] = 1 << 29;
			job.rate.process = RATE_POISSON; break;
		}
		s = run(&job, &result);
		for (int dir = DIR_READ; dir <= DIR_WRITE; dir++) {
			ios += s->dirs[dir].ios;
			intended += s->dirs[dir].intended.n;
			assert_int_equal(s->dirs[dir].clat.n, s->dirs[dir].ios);
			assert_int_equal(histogram_count(&s->dirs[dir].intended_histogram),
					 s->dirs[dir].intended.n);
		}
		assert_int_equal(ios, 256);
		assert_int_equal(intended, i / 4 >= 4 ? 256 : 0);
		result_release(&result);
	}
}

/* Of an unlimited device an I/O is never early; what is late counts from its due time. */
static void intended_latency_is_at_least_the_usual_one(void **state)
{
	struct job job = core_job("psync", RW_READ, 1 << 20);
	struct result result;
	const struct dir_stats *d;

	(void)state;
	job.rate.iops[DIR_READ] = 5000000;		/* more than any device does */
	d = &run(&job, &result)->dirs[DIR_READ];
	assert_true(d->intended.sum > 10 * d->clat.sum);
	assert_true(d->intended.min >= d->clat.min);
	result_release(&result);
	job.rate.iops[DIR_READ] = 2000;
	d = &run(&job, &result)->dirs[DIR_READ];
	assert_true(d->runtime_ns > 255 * ms / 2);	/* 256 I/Os, the first at once */
	result_release(&result);
}

/* Both files are dirty when a sync is due, so both are synced. */
static void a_sync_reaches_every_file(void **state)
{
	struct job job = core_job("psync", RW_WRITE, 1 << 20);
	struct result result;

	(void)state;
	job.files.count = 2;
	job.fsync = 64;
	assert_int_equal(run(&job, &result)->sync_lat.n, 3 * 2);
	result_release(&result);
}

static void gtod_reduce_counts_and_measures_nothing(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct job job = core_job(deep_engines[i], RW_READ, 1 << 20);
		struct result result;
		const struct dir_stats *d;

		job.depth.iodepth = 8;
		job.report.gtod_reduce = true;
		d = &run(&job, &result)->dirs[DIR_READ];
		assert_int_equal(d->ios, 256);
		assert_int_equal(d->bytes, 1 << 20);
		assert_int_equal(d->clat.n + d->slat.n + d->lat.n, 0);
		assert_int_equal(histogram_count(&d->clat_histogram), 0);
		result_release(&result);
	}
}

static void what_is_disabled_is_left_out(void **state)
{
	struct job job = core_job("libaio", RW_READ, 1 << 20);
	struct result result;
	const struct dir_stats *d;

	(void)state;
	job.report.disable_clat = true;
	d = &run(&job, &result)->dirs[DIR_READ];
	assert_true(!d->clat.n && d->slat.n == 256 && d->lat.n == 256);
	result_release(&result);
}

/* An engine that moves at most 1000 bytes at a time. */
struct slice_state {
	struct io *queued[8];
	unsigned count;
};

static void slice_queue(struct engine *e, struct io *io)
{
	struct slice_state *s = e->state;

	assert_ptr_equal((char *)io->buffer - (char *)io->home, 4096 - io->length);
	io->result = io->length < 1000 ? (int32_t)io->length : 1000;
	s->queued[s->count++] = io;
}

static int slice_commit(struct engine *e)
{
	(void)e;
	return 1;
}

static int slice_reap(struct engine *e, unsigned min, struct io **done)
{
	struct slice_state *s = e->state;

	(void)min;
	done[0] = s->queued[--s->count];
	return 1;
}

static void the_rest_of_a_short_io_is_done(void **state)
{
	(void)state;
	for (int i = 0; i < 6; i++) {
		const struct engine_ops slices = {
			.name = "slices", .help = "", .depth_max = i % 3 ? 8 : 1,
			.files = &engine_no_files, .state_size = sizeof(struct slice_state),
			.queue = slice_queue, .commit = slice_commit, .reap = slice_reap,
		};
		struct job job = core_job("null", RW_READ, 1 << 20);
		struct result result;
		const struct dir_stats *d;

		job.ops = &slices;
		job.depth.iodepth = i % 3 == 2 ? 8 : 1;
		job.depth.low = i < 3 ? 0 : 1;	/* the general loop */
		d = &run(&job, &result)->dirs[DIR_READ];
		assert_int_equal(d->ios, 256);
		assert_int_equal(d->bytes, 1 << 20);
		assert_int_equal(d->short_ios, 256);
		assert_int_equal(histogram_count(&d->clat_histogram), 256);
		result_release(&result);
	}
}

static int split(const char *text, struct block_split splits[DIR_DATA_COUNT], struct arena *memory)
{
	struct err err = { 0 };

	memset(splits, 0, DIR_DATA_COUNT * sizeof(*splits));
	return bssplit_parse(text, 1024, splits, memory, &err);
}

static void block_splits_are_read(void **state)
{
	static const char *const wrong[] = { "4k/101:8k", "4k/x:8k", "0/50:4k", "",
					     "4k,8k,4k,8k", "2g" };
	struct block_split splits[DIR_DATA_COUNT];
	struct arena *memory = arena_new();

	(void)state;
	assert_int_equal(split("4k/50:8k/:32k/20", splits, memory), 0);
	assert_int_equal(splits[DIR_WRITE].count, 3);
	assert_int_equal(splits[DIR_WRITE].shares[1].bytes, 8192);
	assert_int_equal(splits[DIR_WRITE].shares[1].percent, 30);
	assert_int_equal(split("4k:8k:16k,64k/100", splits, memory), 0);
	assert_int_equal(splits[DIR_READ].shares[0].percent, 34);
	assert_int_equal(splits[DIR_READ].shares[2].percent, 33);
	assert_int_equal(splits[DIR_WRITE].count, 1);
	assert_int_equal(splits[DIR_TRIM].shares[0].bytes, 65536);
	assert_int_equal(split("4k/60:8k/50:16k/1", splits, memory), 0);
	assert_int_equal(splits[DIR_WRITE].shares[1].percent, 40);
	assert_int_equal(splits[DIR_WRITE].shares[2].percent, 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		if (*wrong[i])
			assert_int_equal(split(wrong[i], splits, memory), -EINVAL);
	}
	arena_free(memory);
}

/* Blocks of each size come in their shares and stay inside of the file. */
static void split_blocks_keep_their_shares(void **state)
{
	static const struct block_share shares[] = { { 4096, 60 }, { 65536, 40 } };
	const struct pattern_extent extent = { 1 << 20, 4 << 20 };
	static const uint32_t kinds[] = { RW_READ, RW_READ | RW_RANDOM };

	(void)state;
	for (int k = 0; k < 2; k++) {
		struct job job = core_job("null", kinds[k], 4 << 20);
		struct pattern_io ios[64];
		struct pattern p;
		struct err err = { 0 };
		uint32_t n, all = 0, small = 0;

		job.block.bytes[DIR_READ] = 65536;
		job.block.splits[DIR_READ] = (struct block_split){ shares, 2 };
		job.norandommap = true;
		job.time.loops = 100;
		assert_int_equal(pattern_init(&p, &job, &extent, 1, 3, &err), 0);
		while ((n = pattern_fill(&p, ios, 64))) {
			for (uint32_t i = 0; i < n; i++) {
				small += ios[i].length == 4096;
				assert_true(ios[i].offset % 4096 == 0 && ios[i].offset >= 1 << 20);
				assert_true(ios[i].offset + ios[i].length <= 5 << 20);
			}
			all += n;
		}
		assert_in_range(small * 100 / all, 58, 62);
		pattern_release(&p);
	}
}

/* With iodepth_batch_complete_min=0 the engine may always have room for one more. */
static void a_loop_that_only_looks_ends_with_its_time(void **state)
{
	struct job job = core_job("null", RW_READ, 1 << 20);
	struct result result;

	(void)state;
	job.depth.iodepth = 4;
	job.depth.batch_complete_min = 0;
	job.time.based = true;
	job.time.runtime_ns = 100 * ms;
	assert_in_range(run(&job, &result)->runtime_ns, 100 * ms, 5000 * ms);
	result_release(&result);
}

/* clock=per-io takes completions one by one, whatever iodepth_batch_complete_min asks. */
static void one_at_a_time_waits_for_one(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct job job = core_job(deep_engines[i], RW_READ, 1 << 20);
		const struct job_list list = { .jobs = &job, .count = 1 };
		const struct run_options options = { .status_fd = -1, .clock_per_io = true };
		struct result result;
		struct err err = { 0 };

		job.depth.iodepth = 8;
		job.depth.batch_complete_min = 4;
		assert_int_equal(run_jobs(&list, &options, &result, &err), 0);
		assert_string_equal(result.rows[0].error_text, "");
		assert_int_equal(result.rows[0].stats->complete_levels[1], 256);
		result_release(&result);
	}
}

static void only_a_direction_with_a_rate_is_due(void **state)
{
	struct job job = core_job("null", RW_READ | RW_WRITE, 1 << 20);
	struct result result;
	const struct worker_stats *s;

	(void)state;
	job.rate.iops[DIR_WRITE] = 100000;
	s = run(&job, &result);
	assert_int_equal(s->dirs[DIR_READ].intended.n, 0);
	assert_true(s->dirs[DIR_READ].ios > 0);
	assert_int_equal(s->dirs[DIR_WRITE].intended.n, s->dirs[DIR_WRITE].ios);
	result_release(&result);
}

/* Where not all may be taken at once, else some would wait until the end of the job. */
static void null_hands_back_the_oldest_first(void **state)
{
	const struct engine_ops *null = engine_find("null");
	struct io ios[5] = { 0 }, *done[2];
	struct engine e = { .ops = null, .depth = 5, .reap_max = 2,
			    .state = calloc(1, null->state_size) };

	(void)state;
	assert_int_equal(null->open(&e), 0);
	for (int i = 0; i < 5; i++)
		null->queue(&e, &ios[i]);
	for (int i = 0; i < 4; i += 2) {
		assert_int_equal(null->reap(&e, 1, done), 2);
		assert_true(done[0] == &ios[i] && done[1] == &ios[i + 1]);
	}
	assert_int_equal(null->reap(&e, 1, done), 1);
	assert_ptr_equal(done[0], &ios[4]);
	null->close(&e);
	free(e.state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batches_are_as_asked),
		cmocka_unit_test(submit_levels_of_null),
		cmocka_unit_test(slow_features_lose_nothing),
		cmocka_unit_test(intended_latency_is_at_least_the_usual_one),
		cmocka_unit_test(a_sync_reaches_every_file),
		cmocka_unit_test(gtod_reduce_counts_and_measures_nothing),
		cmocka_unit_test(what_is_disabled_is_left_out),
		cmocka_unit_test(the_rest_of_a_short_io_is_done),
		cmocka_unit_test(block_splits_are_read),
		cmocka_unit_test(split_blocks_keep_their_shares),
		cmocka_unit_test(a_loop_that_only_looks_ends_with_its_time),
		cmocka_unit_test(one_at_a_time_waits_for_one),
		cmocka_unit_test(only_a_direction_with_a_rate_is_due),
		cmocka_unit_test(null_hands_back_the_oldest_first),
	};

	return cmocka_run_group_tests(tests, core_setup, core_teardown);
}
