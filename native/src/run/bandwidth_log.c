/* SPDX-License-Identifier: Apache-2.0 */
#include "run/bandwidth_log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "run/sampler.h"

enum { INTERVAL_MS = 500, MS = 1000 * 1000 };

static const char *const names[DIR_DATA_COUNT] = {
	[DIR_READ] = "agg-read_bw.log", [DIR_WRITE] = "agg-write_bw.log",
	[DIR_TRIM] = "agg-trim_bw.log",
};

int bandwidth_log_begin(struct bandwidth_log *b, uint64_t now_ns, struct err *err)
{
	*b = (struct bandwidth_log){ .begin_ns = now_ns, .last_ns = now_ns };
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++) {
		b->files[dir] = fopen(names[dir], "we");
		if (!b->files[dir])
			return err_set(err, -errno, "--bandwidth-log: cannot write %s: %s",
				       names[dir], strerror(errno));
	}
	return 0;
}

static uint64_t bytes_of(const struct workers *workers, int dir)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < workers->count; i++) {
		struct counters c = { .clat_min_ns = UINT64_MAX };

		counters_add(&c, workers->members[i].worker.shared, dir);
		bytes += c.bytes;
	}
	return bytes;
}

static void write_rows(struct bandwidth_log *b, const struct workers *workers, uint64_t now_ns)
{
	const uint64_t ms = (now_ns - b->last_ns) / MS;

	for (int dir = 0; dir < DIR_DATA_COUNT && ms; dir++) {
		const uint64_t bytes = bytes_of(workers, dir);
		/* counters begin anew after a ramp */
		const uint64_t moved = bytes > b->bytes[dir] ? bytes - b->bytes[dir] : 0;

		fprintf(b->files[dir], "%" PRIu64 ", %" PRIu64 ", %d, 0, 0\n",
			(now_ns - b->begin_ns) / MS, moved * 1000 / ms / 1024, dir);
		b->bytes[dir] = bytes;
	}
	b->last_ns = now_ns;
}

uint64_t bandwidth_log_tick(struct bandwidth_log *b, const struct workers *workers,
			    uint64_t now_ns)
{
	if (!b->files[DIR_READ])
		return UINT64_MAX;
	if (now_ns - b->last_ns >= (uint64_t)INTERVAL_MS * MS)
		write_rows(b, workers, now_ns);
	return b->last_ns + (uint64_t)INTERVAL_MS * MS;
}

void bandwidth_log_finish(struct bandwidth_log *b, const struct workers *workers, uint64_t now_ns)
{
	if (b->files[DIR_TRIM])
		write_rows(b, workers, now_ns);
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++)
		if (b->files[dir])
			fclose(b->files[dir]);
	*b = (struct bandwidth_log){ 0 };
}
