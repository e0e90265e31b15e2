/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>

#include "core.h"

static const uint64_t ms = 1000000;

static const struct dir_stats *dir(const struct result *r, size_t row, int which)
{
	return &r->rows[row].stats->dirs[which];
}

static uint64_t counted(const struct result *r, size_t row)
{
	return dir(r, row, DIR_READ)->ios + dir(r, row, DIR_WRITE)->ios;
}

/* What must hold of every row that ended well. */
static void assert_consistent(const struct result *r, size_t row)
{
	const struct job_result *result = &r->rows[row];

	for (int which = DIR_READ; which <= DIR_WRITE; which++) {
		const struct dir_stats *d = dir(r, row, which);
		uint64_t in_series = 0, in_bins = 0;

		assert_int_equal(histogram_count(&d->clat_histogram), d->ios);
		assert_int_equal(d->clat.n, d->ios);
		assert_int_equal(d->lat.n, d->ios);
		assert_int_equal(d->lat.sum, d->slat.sum + d->clat.sum);
		for (uint32_t i = 0; i < result->series.intervals_count; i++) {
			const struct interval *interval = &result->series.intervals[i];

			in_series += interval->ios[which];
			for (uint32_t j = 0; j < interval->bins_count[which]; j++)
				in_bins += result->series.bins[interval->bins_at[which] + j].count;
		}
		assert_int_equal(in_series, d->ios);
		assert_int_equal(in_bins, d->ios);
	}
}

static uint64_t levels(const uint64_t *level)
{
	uint64_t sum = 0;

	for (int i = 0; i < STATS_DEPTH_LEVELS; i++)
		sum += level[i];
	return sum;
}

/* Every engine, as process and thread, in every kind of pattern, alone and deep. */
static void every_engine_does_every_pattern(void **state)
{
	static const uint32_t kinds[] = {
		RW_READ, RW_WRITE, RW_READ | RW_WRITE, RW_READ | RW_RANDOM,
		RW_WRITE | RW_RANDOM, RW_READ | RW_WRITE | RW_RANDOM,
	};

	(void)state;
	core_for_each_engine(ops) {
		for (int i = 0; i < 24; i++) {
			struct job job = core_job((*ops)->name, kinds[i % 6], 1 << 20);
			struct result result;
			struct err err;

			job.process.thread = i / 6 % 2;
			job.depth.iodepth = i < 12 ? 1 : 7;
			job.fsync = i % 3 == 1 ? 50 : 0;
			assert_int_equal(core_run(&job, 1, &result, &err), 0);
			assert_int_equal(result.rows_count, 1);
			assert_string_equal(result.rows[0].error_text, "");
			assert_int_equal(counted(&result, 0), 256);
			assert_int_equal(levels(result.rows[0].stats->depth_levels) -
					 result.rows[0].stats->sync_lat.n, 256);
			assert_consistent(&result, 0);
			result_release(&result);
		}
	}
}

/* What an engine writes is what another reads: each block carries noise, no zeros. */
static void written_blocks_arrive(void **state)
{
	(void)state;
	core_for_each_engine(ops) {
		struct job job = core_job((*ops)->name, RW_WRITE | RW_RANDOM, 1 << 20);
		char path[128], block[4096];
		struct result result;
		struct err err;
		int fd;

		if (engine_is_diskless(*ops))
			continue;
		snprintf(path, sizeof(path), "%s/w", core_folder);
		unlink(path);
		job.files.names = "w";
		job.depth.iodepth = 5;
		job.end_fsync = true;
		assert_int_equal(core_run(&job, 1, &result, &err), 0);
		result_release(&result);
		fd = open(path, O_RDONLY);
		for (int i = 0; i < 256; i++) {
			assert_int_equal(pread(fd, block, 4096, i * 4096), 4096);
			assert_true(core_values(block + 96, 4000) > 100);
		}
		close(fd);
	}
}

static void clones_share_a_group_row(void **state)
{
	struct job jobs[] = { core_job("psync", RW_READ, 1 << 20),
			      core_job("psync", RW_READ, 1 << 20) };
	struct result result;
	struct err err;

	(void)state;
	jobs[0].process.numjobs = 3;
	jobs[0].report.group_reporting = true;
	assert_int_equal(core_run(jobs, 2, &result, &err), 0);
	assert_int_equal(result.rows_count, 2);
	assert_int_equal(result.rows[0].jobs_count, 3);
	assert_int_equal(counted(&result, 0), 3 * 256);
	assert_int_equal(counted(&result, 1), 256);
	assert_consistent(&result, 0);
	result_release(&result);
	jobs[0].report.group_reporting = false;
	assert_int_equal(core_run(jobs, 2, &result, &err), 0);
	assert_int_equal(result.rows_count, 4);
	assert_int_equal(result.rows[2].clone, 2);
	result_release(&result);
}

static void groups_follow_each_other(void **state)
{
	struct job jobs[] = { core_job("null", RW_READ, 1 << 20),
			      core_job("null", RW_READ, 1 << 20) };
	struct result result;
	struct err err;

	(void)state;
	jobs[0].time.based = true;
	jobs[0].time.runtime_ns = 100 * ms;
	jobs[1].process.stonewall = true;
	jobs[1].group_id = jobs[1].wave = 1;
	assert_int_equal(core_run(jobs, 2, &result, &err), 0);
	assert_int_equal(result.rows[1].group_id, 1);
	assert_true(result.rows[1].start_unix_ms >= result.rows[0].start_unix_ms + 100);
	result_release(&result);
}

static void time_ends_a_job(void **state)
{
	struct job job = core_job("null", RW_READ, 1 << 20);
	struct result result;
	struct err err;
	uint64_t ran;

	(void)state;
	job.time.based = true;
	job.time.runtime_ns = 1200 * ms;
	job.time.ramp_ns = 200 * ms;
	assert_int_equal(core_run(&job, 1, &result, &err), 0);
	ran = result.rows[0].stats->runtime_ns;		/* a busy machine adds to it */
	assert_true(ran >= 1200 * ms);
	assert_int_equal(result.rows[0].stats->runtime_ns, dir(&result, 0, DIR_READ)->runtime_ns);
	assert_int_equal(dir(&result, 0, DIR_WRITE)->runtime_ns, 0);
	assert_in_range(result.rows[0].series.intervals_count, 6, ran / (100 * ms) + 1);
	assert_in_range(result.rows[0].elapsed_s, 2, (ran + job.time.ramp_ns) / (1000 * ms) + 1);
	assert_true(result.rows[0].rates[DIR_READ].iops.n >= 1);
	assert_consistent(&result, 0);
	result_release(&result);
}

static void fsync_counts_apart(void **state)
{
	struct job job = core_job("psync", RW_WRITE, 16 * 4096);
	struct result result;
	struct err err;

	(void)state;
	job.fsync = 4;
	assert_int_equal(core_run(&job, 1, &result, &err), 0);
	assert_int_equal(dir(&result, 0, DIR_WRITE)->ios, 16);
	/* as fio: none after the last */
	assert_int_equal(result.rows[0].stats->sync_lat.n, 3);
	assert_int_equal(histogram_count(&result.rows[0].stats->sync_histogram), 3);
	result_release(&result);
}

static void thinktime_spreads_ios(void **state)
{
	struct job job = core_job("libaio", RW_READ, 20 * 4096);
	struct result result;
	struct err err;

	(void)state;
	job.depth.iodepth = 8;
	job.think.pause_ns = 5 * ms;
	assert_int_equal(core_run(&job, 1, &result, &err), 0);
	assert_int_equal(counted(&result, 0), 20);
	assert_true(result.rows[0].stats->runtime_ns >= 90 * ms);
	result_release(&result);
}

/* A file that shrinks under the job, once it is laid out: an error, counted apart from
 * throughput. */
static void *shrink(void *path)
{
	struct stat st = { 0 };

	for (int i = 0; i < 1000 && st.st_size < 1 << 20; i++) {
		usleep(10000);
		if (stat(path, &st))
			st.st_size = 0;
	}
	usleep(150000);
	if (truncate(path, 4096))
		abort();
	return NULL;
}

static void errors_are_no_throughput(void **state)
{
	struct job jobs[] = { core_job("psync", RW_READ, 1 << 20),
			      core_job("null", RW_READ, 1 << 20) };
	char path[128];
	struct result result;
	struct err err;
	pthread_t thread;

	(void)state;
	snprintf(path, sizeof(path), "%s/shrinks", core_folder);
	jobs[0].files.names = "shrinks";
	jobs[0].time.based = jobs[1].time.based = true;
	jobs[0].time.runtime_ns = 5000 * ms;
	jobs[1].time.runtime_ns = 300 * ms;
	pthread_create(&thread, NULL, shrink, path);
	assert_int_equal(core_run(jobs, 2, &result, &err), 0);
	pthread_join(thread, NULL);
	assert_int_equal(result.rows[0].error, EIO);
	assert_non_null(strstr(result.rows[0].error_text, "shrinks"));
	assert_int_equal(result.rows[0].stats->errors[0].error, EIO);
	assert_int_equal(result.rows[0].stats->errors[0].count, 1);
	assert_consistent(&result, 0);
	assert_int_equal(result.rows[1].error, 0);
	assert_true(counted(&result, 1) > 0);
	result_release(&result);
}

/* Kill one worker among children of this process after some time. */
static void *kill_a_child(void *unused)
{
	char path[64];
	int child = 0;
	FILE *f;

	usleep(1000000);		/* on a busy machine both workers have begun by then */
	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	f = fopen(path, "r");
	if (f && fscanf(f, "%d", &child) == 1)
		kill(child, SIGKILL);
	if (f)
		fclose(f);
	return unused;
}

static void a_killed_worker_leaves_its_numbers(void **state)
{
	struct job job = core_job("psync", RW_READ, 1 << 20);
	struct result result;
	struct err err;
	pthread_t thread;

	(void)state;
	job.process.numjobs = 2;
	job.time.based = true;
	job.time.runtime_ns = 3000 * ms;
	pthread_create(&thread, NULL, kill_a_child, NULL);
	assert_int_equal(core_run(&job, 1, &result, &err), 0);
	pthread_join(thread, NULL);
	assert_int_equal(!!result.rows[0].error + !!result.rows[1].error, 1);
	for (size_t i = 0; i < 2; i++) {
		assert_true(counted(&result, i) > 0);
		assert_true(result.rows[i].stats->runtime_ns >= 50 * ms);
		assert_true(!result.rows[i].error || strstr(result.rows[i].error_text, "Killed"));
	}
	result_release(&result);
}

static void *stop_soon(void *unused)
{
	usleep(1000000);
	run_request_stop();
	return unused;
}

static void a_stop_keeps_results(void **state)
{
	struct job jobs[] = { core_job("null", RW_READ, 1 << 20),
			      core_job("psync", RW_READ, 1 << 20),
			      core_job("psync", RW_READ, 1 << 20) };
	struct result result;
	struct err err;
	pthread_t thread;

	(void)state;
	for (int i = 0; i < 3; i++) {
		jobs[i].time.based = true;
		jobs[i].time.runtime_ns = 60000 * ms;
	}
	jobs[1].think.pause_ns = 30000 * ms;
	jobs[1].process.thread = true;
	jobs[2].group_id = jobs[2].wave = 1;
	pthread_create(&thread, NULL, stop_soon, NULL);
	assert_int_equal(core_run(jobs, 3, &result, &err), 0);
	pthread_join(thread, NULL);
	assert_true(result.interrupted);
	assert_true(counted(&result, 0) > 0);
	assert_int_equal(counted(&result, 1), 1);
	assert_int_equal(counted(&result, 2), 0);
	assert_int_equal(result.rows[0].error, 0);
	result_release(&result);
}

static void many_clones_run(void **state)
{
	struct job job = core_job("null", RW_READ, 1 << 16);
	struct result result;
	struct err err;

	(void)state;
	job.process.numjobs = 300;
	job.report.group_reporting = true;
	assert_int_equal(core_run(&job, 1, &result, &err), 0);
	assert_int_equal(counted(&result, 0), 300 * 16);
	result_release(&result);
}

static void refused(struct job job, const char *why)
{
	const struct job_list list = { .jobs = &job, .count = 1 };
	const struct run_options options = {
		.status_fd = -1, .readonly = !strcmp(why, "--readonly"),
	};
	struct result result;
	struct err err = { 0 };

	assert_true(run_jobs(&list, &options, &result, &err) < 0);
	if (!strstr(err.text, why))
		fail_msg("'%s' says nothing of '%s'", err.text, why);
}

static void what_cannot_run_says_why(void **state)
{
	struct job job = core_job("psync", RW_READ, 1 << 20);

	(void)state;
	job.files.directory = "/nonexistent/folder";
	refused(job, "does not exist: create it");
	job = core_job("psync", RW_READ, 0);
	job.files.names = "not-there";
	refused(job, "you need to specify size=");
	job = core_job("psync", RW_READ, 0);
	job.amount.size.percent = 50;
	job.files.names = "not-there";
	refused(job, "size=50%");
	job = core_job("psync", RW_WRITE, 1 << 20);
	refused(job, "--readonly");
	job = core_job("psync", RW_READ, 1 << 20);
	job.direct = true;
	job.block.bytes[DIR_READ] = 1000;
	refused(job, "direct=1");
	job = core_job("psync", RW_READ, 1000);
	job.files.names = "tiny";
	refused(job, "bs smaller");
}

/* As fio's: what it did is its result, and somebody is told. */
static void note_warning(void *context, const char *text)
{
	*(bool *)context |= !!strstr(text, "ended before its ramp did");
}

static void a_job_that_ends_in_its_ramp_counts(void **state)
{
	struct job job = core_job("psync", RW_READ, 1 << 20);
	const struct job_list list = { .jobs = &job, .count = 1 };
	bool told = false;
	const struct run_options options = { .status_fd = -1, .warn = note_warning,
					     .say_context = &told };
	struct result result;
	struct err err = { 0 };

	(void)state;
	job.think.pause_ns = 100000;
	job.time.ramp_ns = 60000 * ms;
	assert_int_equal(run_jobs(&list, &options, &result, &err), 0);
	assert_int_equal(counted(&result, 0), 256);
	assert_in_range(dir(&result, 0, DIR_READ)->runtime_ns, 25 * ms, 50000 * ms);
	assert_consistent(&result, 0);
	assert_true(told);
	result_release(&result);
}

/* Sampled as ever: only the summary does without. */
static void what_is_left_out_stays_in_the_series(void **state)
{
	struct job job = core_job("null", RW_READ, 1 << 20);
	struct result result;
	struct err err;
	const struct series *s;

	(void)state;
	job.time.based = true;
	job.time.runtime_ns = 350 * ms;
	job.report.disable_clat = job.report.disable_slat = true;
	assert_int_equal(core_run(&job, 1, &result, &err), 0);
	s = &result.rows[0].series;
	assert_true(s->intervals_count > 1);
	for (uint32_t i = 0; i < s->intervals_count; i++)
		assert_true(s->intervals[i].clat_sum_ns[DIR_READ] < 10000 * ms);
	assert_int_equal(dir(&result, 0, DIR_READ)->clat.n, 0);
	result_release(&result);
}

static void clones_without_clat_merge_their_histograms(void **state)
{
	struct job job = core_job("libaio", RW_READ, 1 << 20);
	struct result result;
	struct err err;

	(void)state;
	job.process.numjobs = 2;
	job.report.group_reporting = job.report.disable_clat = job.report.lat_percentiles = true;
	assert_int_equal(core_run(&job, 1, &result, &err), 0);
	assert_int_equal(dir(&result, 0, DIR_READ)->lat.n, 512);
	assert_int_equal(histogram_count(&dir(&result, 0, DIR_READ)->lat_histogram), 512);
	result_release(&result);
}

/* Blocks of a GiB that nobody moves: more than 2^64 / 10^6 bytes in half a second. */
static void rates_of_huge_samples(void **state)
{
	struct job job = core_job("null", RW_READ, UINT64_C(1) << 40);
	struct result result;
	struct err err;

	(void)state;
	job.block.bytes[DIR_READ] = 1 << 30;
	job.time.based = true;
	job.time.runtime_ns = 1100 * ms;
	assert_int_equal(core_run(&job, 1, &result, &err), 0);
	assert_true(dir(&result, 0, DIR_READ)->bytes >> 45);
	assert_true(result.rows[0].rates[DIR_READ].bw_mean * 1024 * 10 >
		    (double)dir(&result, 0, DIR_READ)->bytes);
	result_release(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_engine_does_every_pattern),
		cmocka_unit_test(written_blocks_arrive),
		cmocka_unit_test(clones_share_a_group_row),
		cmocka_unit_test(groups_follow_each_other),
		cmocka_unit_test(time_ends_a_job),
		cmocka_unit_test(fsync_counts_apart),
		cmocka_unit_test(thinktime_spreads_ios),
		cmocka_unit_test(errors_are_no_throughput),
		cmocka_unit_test(a_killed_worker_leaves_its_numbers),
		cmocka_unit_test(a_stop_keeps_results),
		cmocka_unit_test(many_clones_run),
		cmocka_unit_test(what_cannot_run_says_why),
		cmocka_unit_test(a_job_that_ends_in_its_ramp_counts),
		cmocka_unit_test(what_is_left_out_stays_in_the_series),
		cmocka_unit_test(clones_without_clat_merge_their_histograms),
		cmocka_unit_test(rates_of_huge_samples),
	};

	return cmocka_run_group_tests(tests, core_setup, core_teardown);
}
