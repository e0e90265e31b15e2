/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_BANDWIDTH_LOG_H
#define IOGATE_BANDWIDTH_LOG_H

#include "run/workers.h"

/* --bandwidth-log: what all jobs move together, in agg-read_bw.log, agg-write_bw.log and
 * agg-trim_bw.log in the working directory: "ms since the start, KiB/s, direction, 0, 0", each
 * 500 ms. */
struct bandwidth_log {
	void *files[DIR_DATA_COUNT];	/* FILE; NULL: not asked for */
	uint64_t begin_ns, last_ns, bytes[DIR_DATA_COUNT];
};

/* 0 or -errno; finish also after a failure. */
int bandwidth_log_begin(struct bandwidth_log *b, uint64_t now_ns, struct err *err);
/* Writes the rows that are due; when the next ones are. */
uint64_t bandwidth_log_tick(struct bandwidth_log *b, const struct workers *workers,
			    uint64_t now_ns);
void bandwidth_log_finish(struct bandwidth_log *b, const struct workers *workers,
			  uint64_t now_ns);

#endif
