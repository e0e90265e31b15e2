/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/socket.h>

#include "core.h"
#include "logs/log_buffer.h"
#include "logs/log_text.h"
#include "run/log_sampler.h"

static const uint64_t ms = 1000000;

struct counter {
	uint64_t count, sum;
};

static void count_record(void *context, const struct log_record *r)
{
	struct counter *c = context;

	assert_int_equal(r->offset, c->count);
	c->count++;
	c->sum += r->bytes;
}

static void a_buffer_keeps_order_over_chunks(void **state)
{
	struct log_buffer b;
	struct counter c = { 0 };

	(void)state;
	log_buffer_init(&b);
	for (uint64_t i = 0; i < 100000; i++)
		*log_buffer_next(&b) = (struct log_record){ .offset = i, .bytes = 2 };
	log_buffer_each(&b, count_record, &c);
	assert_int_equal(c.count, 100000);
	assert_int_equal(c.sum, 200000);
	log_buffer_clear(&b);
	c = (struct counter){ 0 };
	log_buffer_each(&b, count_record, &c);
	assert_int_equal(c.count, 0);
	log_buffer_release(&b);
}

static char *file_text(const char *name)
{
	static char text[1 << 16];
	char path[128];
	size_t length;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", core_folder, name);
	f = fopen(path, "r");
	if (!f)
		fail_msg("%s is missing", path);
	length = fread(text, 1, sizeof(text) - 1, f);
	text[length] = '\0';
	fclose(f);
	return text;
}

static uint64_t file_bytes(const char *name)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", core_folder, name);
	assert_int_equal(stat(path, &st), 0);
	return (uint64_t)st.st_size;
}

static void text_grows_by_lines(void **state)
{
	char path[128];
	struct log_text t;

	(void)state;
	snprintf(path, sizeof(path), "%s/text", core_folder);
	assert_int_equal(log_text_create(path), 0);
	for (int i = 0; i < 2; i++) {
		log_text_init(&t, path);
		log_text_number(&t, 0);
		log_text_word(&t, ", ");
		log_text_number(&t, UINT64_MAX);
		log_text_line_end(&t);
		assert_int_equal(log_text_finish(&t), 0);
	}
	assert_string_equal(file_text("text"), "0, 18446744073709551615\n"
					       "0, 18446744073709551615\n");
	assert_int_equal(log_text_create(path), 0);
	assert_string_equal(file_text("text"), "");
}

static void a_number_has_its_digits(void **state)
{
	uint64_t power = 1;

	(void)state;
	for (int i = 0; i < 20; i++, power *= 10) {
		const uint64_t values[] = { power - 1, power, power * 17 / 11 };
		char wanted[128];
		struct log_text t;

		log_text_init(&t, "");
		log_text_row(&t, values, 3);
		snprintf(wanted, sizeof(wanted), "%" PRIu64 ", %" PRIu64 ", %" PRIu64 "\n",
			 values[0], values[1], values[2]);
		assert_int_equal(t.used, strlen(wanted));
		assert_memory_equal(t.text, wanted, t.used);
		free(t.text);
	}
}

static void rows_are_numbers_with_commas(void **state)
{
	const uint64_t most[] = { 0, 9, 10, 99, 100, UINT64_MAX };
	char path[128];
	struct log_text t;

	(void)state;
	snprintf(path, sizeof(path), "%s/rows", core_folder);
	assert_int_equal(log_text_create(path), 0);
	log_text_init(&t, path);
	log_text_row(&t, most, 6);
	for (int i = 0; i < 100000; i++)	/* more than is kept before it is written */
		log_text_row(&t, most, 1);
	assert_int_equal(log_text_finish(&t), 0);
	assert_int_equal(strncmp(file_text("rows"), "0, 9, 10, 99, 100, 18446744073709551615\n"
				 "0\n0\n", 44), 0);
	assert_int_equal(file_bytes("rows"), 40 + 2 * 100000);
}

/* A log's name must not make a device or a pipe a log. */
static void only_files_become_logs(void **state)
{
	char path[128];
	struct log_text t;

	(void)state;
	snprintf(path, sizeof(path), "%s/fifo", core_folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_true(log_text_create(path) == EEXIST || log_text_create(path) == ENXIO);
	assert_int_equal(log_text_create("/dev/null"), EEXIST);
	assert_int_equal(log_text_create("/nonexistent/log"), ENOENT);
	log_text_init(&t, "/dev/full");
	log_text_number(&t, 1);
	assert_int_equal(log_text_finish(&t), ENOSPC);
}

static unsigned lines(const char *text)
{
	unsigned count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

static char *log_name(const char *base)
{
	static char names[8][160];
	static unsigned next;
	char *name = names[next++ % 8];

	snprintf(name, sizeof(names[0]), "%s/%s", core_folder, base);
	return name;
}

static void run_ok(struct job *job)
{
	struct result result;
	struct err err;

	assert_int_equal(core_run(job, 1, &result, &err), 0);
	assert_string_equal(result.rows[0].error_text, "");
	result_release(&result);
}

/* Every I/O is a row, in each loop: thinktime and fsync have one of their own. */
static void each_io_is_a_row(void **state)
{
	(void)state;
	core_for_each_engine(ops) {
		struct job job = core_job((*ops)->name, RW_WRITE | RW_RANDOM, 64 * 4096);

		job.depth.iodepth = 4;
		job.fsync = 10;
		job.log.lat = job.log.bw = log_name("each");
		run_ok(&job);
		assert_int_equal(lines(file_text("each_clat.1.log")), 64);
		assert_int_equal(lines(file_text("each_lat.1.log")), 64);
		assert_int_equal(lines(file_text("each_bw.1.log")), 64);
		assert_int_equal(lines(file_text("each_slat.1.log")),
				 !engine_is_sync(*ops) ? 64 : 0);
	}
}

static void clones_share_a_log_when_asked(void **state)
{
	struct job job = core_job("psync", RW_READ, 16 * 4096);

	(void)state;
	job.process.numjobs = 3;
	job.log.per_job = false;
	job.log.offset = true;
	job.log.iops = log_name("shared");
	run_ok(&job);
	assert_int_equal(lines(file_text("shared_iops.log")), 48);
	assert_non_null(strstr(file_text("shared_iops.log"), ", 1, 0, 4096, 8192, 0\n"));
}

/* The averages of all windows, weighted with their I/Os, are the average of the run. */
static void windows_add_up(void **state)
{
	struct job job = core_job("null", RW_READ, 1 << 20);
	uint64_t ios = 0, time, value, last = 0;
	struct result result;
	struct err err;
	char *at;
	int used;

	(void)state;
	job.time.based = true;
	job.time.runtime_ns = 450 * ms;
	job.log.avg_ms = 100;
	job.log.iops = log_name("windows");
	assert_int_equal(core_run(&job, 1, &result, &err), 0);
	at = file_text("windows_iops.1.log");
	for (; sscanf(at, "%lu, %lu, 0, 0, 0\n%n", &time, &value, &used) == 2; at += used) {
		assert_true(time > last);
		ios += value * (time - last) / 1000;
		last = time;
	}
	assert_int_equal(*at, 0);
	/* Times are whole ms: a window is known to 1 ms of 50 or more. */
	assert_in_range(ios, result.rows[0].stats->dirs[0].ios * 95 / 100,
			result.rows[0].stats->dirs[0].ios * 105 / 100);
	result_release(&result);
}

/* One I/O more, as the worker counts it. */
static void count_one(struct worker_shared *w, uint64_t clat_ns)
{
	struct dir_stats *d = &w->stats.dirs[DIR_READ];

	d->ios++;
	moments_add(&d->clat, clat_ns);
	histogram_add(&d->clat_histogram, clat_ns);
}

/* A window of 100 ms whose tick came 0.1 ms late, then an I/O and the end 0.3 ms later. */
static void no_two_rows_have_the_same_time(void **state)
{
	struct worker_shared *w = calloc(1, sizeof(*w));
	struct job job = core_job("null", RW_READ, 1 << 20);
	struct log_sampler sampler;
	struct logs logs;
	struct err err;

	(void)state;
	job.log.avg_ms = job.log.hist_ms = 100;
	job.log.hist_coarseness = 6;
	job.log.lat = job.log.hist = log_name("twice");
	assert_int_equal(logs_init(&logs, &job, 1, &err), 0);
	worker_stats_init(&w->stats);
	w->begin_ns = 1000 * ms;
	atomic_store(&w->state, WORKER_RUNNING);
	log_sampler_init(&sampler, &logs, w);
	count_one(w, 30);
	log_sampler_tick(&sampler, 1000 * ms + 1);
	log_sampler_tick(&sampler, 1100 * ms + 100000);
	count_one(w, 50);
	w->stats.runtime_ns = 100 * ms + 400000;
	atomic_store(&w->state, WORKER_DONE);
	assert_int_equal(log_sampler_finish(&sampler, &err), 0);
	assert_string_equal(file_text("twice_clat.1.log"), "100, 30, 0, 0, 0\n");
	assert_int_equal(lines(file_text("twice_clat_hist.1.log")), 2);
	assert_non_null(strstr(file_text("twice_clat_hist.1.log"), "100, 0, 4096, 1, 0,"));
	assert_non_null(strstr(file_text("twice_clat_hist.1.log"), "\n101, 0, 4096, 1, 0,"));
	log_sampler_release(&sampler);
	logs_release(&logs);
	free(w);
}

static void a_log_that_cannot_be_is_refused(void **state)
{
	struct job job = core_job("null", RW_READ, 1 << 20);
	struct result result;
	struct err err;

	(void)state;
	job.log.lat = "/nonexistent/folder/x";
	assert_int_equal(core_run(&job, 1, &result, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/folder/x_slat.1.log"));
	assert_non_null(strstr(err.text, "create it"));
}

/* lat and slat histograms count the same I/Os as clat's, whichever loop it was. */
static void all_histograms_count_all(void **state)
{
	(void)state;
	core_for_each_engine(ops) {
		struct job job = core_job((*ops)->name, RW_READ | RW_WRITE, 1 << 20);
		struct result result;
		struct err err;

		job.depth.iodepth = 4;
		job.process.numjobs = 2;
		job.report.group_reporting = job.report.lat_percentiles = true;
		assert_int_equal(core_run(&job, 1, &result, &err), 0);
		for (int dir = DIR_READ; dir <= DIR_WRITE; dir++) {
			const struct dir_stats *d = &result.rows[0].stats->dirs[dir];

			assert_true(d->ios > 0);
			assert_int_equal(histogram_count(&d->clat_histogram), d->ios);
			assert_int_equal(histogram_count(&d->lat_histogram), d->ios);
			assert_int_equal(histogram_count(&d->slat_histogram),
					 !engine_is_sync(*ops) ? d->ios : 0);
		}
		result_release(&result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_buffer_keeps_order_over_chunks),
		cmocka_unit_test(text_grows_by_lines),
		cmocka_unit_test(a_number_has_its_digits),
		cmocka_unit_test(rows_are_numbers_with_commas),
		cmocka_unit_test(only_files_become_logs),
		cmocka_unit_test(each_io_is_a_row),
		cmocka_unit_test(clones_share_a_log_when_asked),
		cmocka_unit_test(windows_add_up),
		cmocka_unit_test(no_two_rows_have_the_same_time),
		cmocka_unit_test(a_log_that_cannot_be_is_refused),
		cmocka_unit_test(all_histograms_count_all),
	};

	return cmocka_run_group_tests(tests, core_setup, core_teardown);
}
