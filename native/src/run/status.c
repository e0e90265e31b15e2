/* SPDX-License-Identifier: Apache-2.0 */
#include "run/status.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stats/clock.h"

enum { DEFAULT_INTERVAL_MS = 500, LINE_BYTES = 2048, WORKERS_BYTES = 1024 };

void status_init(struct status *s, const struct run_options *options)
{
	const uint32_t interval_ms = options->status_interval_ms ? options->status_interval_ms
								 : DEFAULT_INTERVAL_MS;

	*s = (struct status){
		.fd = options->status_fd, .interval_ns = interval_ms * 1000000ull,
		.begin_ns = clock_monotonic_ns(),
	};
	s->last_ns = s->begin_ns;
}

void status_release(struct status *s)
{
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++)
		free(s->buckets_last[dir]);
	free(s->workers);
}

bool status_due(const struct status *s, uint64_t now_ns)
{
	return s->fd >= 0 && now_ns - s->last_ns >= s->interval_ns;
}

static struct counters total(const struct status *s, int dir)
{
	struct counters c = { .clat_min_ns = UINT64_MAX };

	for (uint32_t i = 0; i < s->workers_count; i++)
		counters_add(&c, s->workers[i], dir);
	return c;
}

/* What this interval added to each bucket; what a ramp's end threw away is no loss. */
static uint64_t bucket_deltas(struct status *s, int dir, const struct counters *c,
			      uint64_t *deltas)
{
	uint64_t *last = s->buckets_last[dir], count = 0;

	for (uint32_t i = histogram_index(c->clat_min_ns);
	     i <= histogram_index(c->clat_max_ns); i++) {
		uint64_t now = 0;

		for (uint32_t w = 0; w < s->workers_count; w++) {
			if (s->workers[w]->stats.dirs[dir].ios)
				now += counters_bucket(s->workers[w], dir, i);
		}
		deltas[i] = now >= last[i] ? now - last[i] : now;
		count += deltas[i];
		last[i] = now;
	}
	return count;
}

static uint64_t p99_ns(struct status *s, int dir, const struct counters *c)
{
	struct histogram deltas = { { 0 } };
	static const double percent = 99;
	uint64_t value = 0;

	if (c->clat_min_ns > c->clat_max_ns)
		return 0;
	if (!s->buckets_last[dir])
		s->buckets_last[dir] = calloc(HISTOGRAM_BUCKETS, sizeof(uint64_t));
	if (s->buckets_last[dir] && bucket_deltas(s, dir, c, deltas.buckets))
		histogram_percentiles(&deltas, &percent, 1, &value);
	return value;
}

static uint64_t since(uint64_t now, uint64_t last)
{
	return now >= last ? now - last : now;
}

static int print_dir(struct status *s, int dir, double seconds, char *out, size_t size)
{
	const struct counters c = total(s, dir), *last = &s->last[dir];
	const uint64_t ios = since(c.ios, last->ios), bytes = since(c.bytes, last->bytes);
	const uint64_t sum = since(c.clat_sum_ns, last->clat_sum_ns);
	const double per_second = seconds > 0 ? 1 / seconds : 0;
	const int length = snprintf(out, size, ",\"%s\":{\"ios\":%" PRIu64 ",\"bytes\":%" PRIu64
		",\"iops\":%.1f,\"bw_bytes\":%.0f,\"clat_mean_ns\":%.1f,\"clat_p99_ns\":%" PRIu64
		"}", io_dir_names[dir], c.ios, c.bytes, (double)ios * per_second,
		(double)bytes * per_second, ios ? (double)sum / (double)ios : 0.0,
		p99_ns(s, dir, &c));

	s->last[dir] = c;
	return length;
}

/* fio's letter for what a worker does, and R for any I/O but V. */
static char letter_of(const struct worker_shared *w)
{
	switch (atomic_load_explicit(&w->state, memory_order_acquire)) {
	case WORKER_RAMP:
		return w->in_ramp ? '/' : 'P';
	case WORKER_RUNNING:
		return w->verifying ? 'V' : 'R';
	case WORKER_DONE:
		return w->error ? 'X' : '_';
	default:
		return 'P';
	}
}

/* Those that wait for their startdelay are none. */
static uint32_t running(const struct status *s)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->workers_count; i++) {
		const char letter = letter_of(s->workers[i]);

		count += letter == 'R' || letter == 'V' || letter == '/';
	}
	return count;
}

/* In their order, those that do the same beside each other as one: "R3_1". Nothing of so many
 * that they do not fit. */
static void list_workers(const struct status *s, char out[WORKERS_BYTES])
{
	int used = 0;

	for (uint32_t i = 0, count; i < s->workers_count && used < WORKERS_BYTES; i += count) {
		const char letter = letter_of(s->workers[i]);

		for (count = 1; i + count < s->workers_count; count++)
			if (letter_of(s->workers[i + count]) != letter)
				break;
		used += snprintf(out + used, (size_t)(WORKERS_BYTES - used), "%c%" PRIu32, letter,
				 count);
	}
	if (!used || used >= WORKERS_BYTES)
		out[0] = '\0';
}

/* A pipe with room takes a line whole (PIPE_BUF). */
bool status_has_room(int fd)
{
	struct pollfd writer = { .fd = fd, .events = POLLOUT };

	return poll(&writer, 1, 0) > 0;
}

/* A reader that went away is no reason to stop measuring. */
static void send_line(struct status *s, const char *line, size_t length)
{
	if (write(s->fd, line, length) < 0 && errno != EINTR && errno != EAGAIN)
		s->fd = -1;
}

static const char *const state_names[] = { "layout", "ramp", "running", "finishing" };

void status_write(struct status *s, enum status_state state, struct progress progress)
{
	const uint64_t now = clock_monotonic_ns(), elapsed_ms = (now - s->begin_ns) / 1000000;
	const double seconds = (double)(now - s->last_ns) / 1e9;
	char line[LINE_BYTES], workers[WORKERS_BYTES];
	int length;

	if (s->fd < 0 || !status_has_room(s->fd))
		return;
	list_workers(s, workers);
	length = snprintf(line, sizeof(line), "{\"schema\":\"status/1\",\"state\":\"%s\","
			  "\"elapsed_ms\":%" PRIu64 ",\"percent\":%.1f,\"eta_ms\":%" PRIu64 ","
			  "\"jobs_running\":%u,\"workers\":\"%s\"", state_names[state], elapsed_ms,
			  progress.fraction * 100, progress.left_ns / 1000000, running(s),
			  workers);
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++)
		length += print_dir(s, dir, seconds, line + length, sizeof(line) - (size_t)length);
	length += snprintf(line + length, sizeof(line) - (size_t)length, "}\n");
	send_line(s, line, (size_t)length);
	s->last_ns = now;
}
