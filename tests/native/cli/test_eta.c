/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/eta.h"
#include "core.h"

static const char running[] =
	"{\"schema\":\"status/1\",\"state\":\"running\",\"elapsed_ms\":9000,\"percent\":27.3,"
	"\"eta_ms\":24000,\"jobs_running\":1,\"workers\":\"R1\","
	"\"read\":{\"ios\":9,\"bytes\":9,\"iops\":10700.0,\"bw_bytes\":43201331},"
	"\"write\":{\"ios\":0,\"bytes\":0,\"iops\":0.0,\"bw_bytes\":0}}\n";

static struct job random_reads(void)
{
	return core_job("psync", RW_READ | RW_RANDOM, 0);
}

static void a_line_reads_like_fio(void **state)
{
	struct job job = random_reads();
	const struct job_list jobs = { .jobs = &job, .count = 1 };
	char text[ETA_TEXT_MAX];

	(void)state;
	assert_true(eta_text(text, running, &jobs) > 0);
	assert_string_equal(text, "Jobs: 1 (f=1): [r(1)][27.3%][r=41.2MiB/s][r=10.7k IOPS]"
				  "[eta 00m:24s]");
}

/* Those that do the same beside each other are one, also of several jobs. */
static void what_each_clone_does_is_told(void **state)
{
	struct job jobs[3] = { random_reads(), random_reads(), random_reads() };
	const struct job_list list = { .jobs = jobs, .count = 3 };
	static const char *const lines[][2] = {
		{ "R1_1R3", "[r(1),_(1),r(1),w(1),r(1)]" }, { "_5", "[_(5)]" },
		{ "/1R1X1V1P1", "[/(1),r(1),X(1),V(1),P(1)]" }, { "", "" },
	};

	(void)state;
	jobs[0].process.numjobs = 3;
	jobs[1].rw = RW_WRITE | RW_RANDOM;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char json[100], text[ETA_TEXT_MAX], expected[ETA_TEXT_MAX];

		snprintf(json, sizeof(json), "{\"schema\":\"status/1\",\"workers\":\"%s\"}",
			 lines[i][0]);
		assert_true(eta_text(text, json, &list) > 0);
		snprintf(expected, sizeof(expected), "Jobs: 0 (f=0): %s[0.0%%][eta 00m:00s]",
			 lines[i][1]);
		assert_string_equal(text, expected);
	}
}

static void many_jobs_stay_inside_the_line(void **state)
{
	struct job jobs[300];
	const struct job_list list = { .jobs = jobs, .count = 300 };
	char text[ETA_TEXT_MAX];

	(void)state;
	for (size_t i = 0; i < 300; i++)
		jobs[i] = random_reads();
	assert_true(eta_text(text, "{\"schema\":\"status/1\",\"jobs_running\":300,"
			     "\"workers\":\"R300\"}", &list)
		    < ETA_TEXT_MAX);
	assert_true(strlen(text) < ETA_TEXT_MAX);
}

static void other_lines_are_no_progress(void **state)
{
	struct job job = random_reads();
	const struct job_list jobs = { .jobs = &job, .count = 1 };
	char text[ETA_TEXT_MAX];

	(void)state;
	assert_int_equal(eta_text(text, "{\"schema\":\"other/1\"}", &jobs), 0);
	assert_int_equal(eta_text(text, "", &jobs), 0);
}

static size_t read_all(int fd, char *room, size_t size)
{
	size_t used = 0;
	ssize_t n;

	while ((n = read(fd, room + used, size - used - 1)) > 0)
		used += (size_t)n;
	room[used] = '\0';
	return used;
}

/* What the run writes reaches the screen as text and --status-fd unchanged. */
static void lines_are_shown_and_passed_on(void **state)
{
	struct job job = random_reads();
	const struct job_list jobs = { .jobs = &job, .count = 1 };
	int screen[2], pass[2];
	char text[1024];
	struct eta live = { 0 };

	(void)state;
	assert_int_equal(pipe(screen) | pipe(pass), 0);
	assert_int_equal(eta_start(&live, &jobs, pass[1], screen[1], NULL), 0);
	assert_int_equal(write(live.status_fd, running, sizeof(running) - 1),
			 sizeof(running) - 1);
	eta_stop(&live);
	close(screen[1]);
	close(pass[1]);
	read_all(pass[0], text, sizeof(text));
	assert_string_equal(text, running);
	read_all(screen[0], text, sizeof(text));
	assert_non_null(strstr(text, "[r=10.7k IOPS]"));
	close(screen[0]);
	close(pass[0]);
}

/* The pipe of --status-fd is full from the beginning: the run ends all the same. */
static void a_reader_that_stalls_is_passed_over(void **state)
{
	struct job job = random_reads();
	const struct job_list jobs = { .jobs = &job, .count = 1 };
	static const char filler[4096];
	int screen[2], pass[2];
	struct eta live = { 0 };

	(void)state;
	assert_int_equal(pipe(screen) | pipe(pass), 0);
	assert_int_equal(fcntl(pass[1], F_SETPIPE_SZ, (int)sizeof(filler)), sizeof(filler));
	assert_int_equal(write(pass[1], filler, sizeof(filler)), sizeof(filler));
	assert_int_equal(eta_start(&live, &jobs, pass[1], screen[1], NULL), 0);
	assert_int_equal(write(live.status_fd, running, sizeof(running) - 1),
			 sizeof(running) - 1);
	eta_stop(&live);
	for (int i = 0; i < 2; i++) {
		close(screen[i]);
		close(pass[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_reads_like_fio),
		cmocka_unit_test(what_each_clone_does_is_told),
		cmocka_unit_test(many_jobs_stay_inside_the_line),
		cmocka_unit_test(other_lines_are_no_progress),
		cmocka_unit_test(lines_are_shown_and_passed_on),
		cmocka_unit_test(a_reader_that_stalls_is_passed_over),
	};

	return cmocka_run_group_tests(tests, core_setup, core_teardown);
}
