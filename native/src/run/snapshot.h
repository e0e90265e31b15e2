/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_SNAPSHOT_H
#define IOGATE_SNAPSHOT_H

#include "run/disk_util.h"
#include "run/rows.h"

/* What a run has come to so far, in the form of its result, again and again: for
 * --status-interval, and when a signal asks for it. */
struct snapshots {
	const struct run_options *options;
	const struct rows *rows;
	const struct workers *workers;
	const struct disk_watch *disks;
	uint64_t due_ns;		/* 0: not begun */
};

void snapshots_request(void);		/* from a signal handler: at the next tick */

/* Hand a snapshot to options->look when one is due; when the next one is (ns of CLOCK_MONOTONIC,
 * UINT64_MAX: none at an interval). Counters of jobs that run are read while they grow: each number
 * is whole, the set is not of one instant. */
uint64_t snapshots_tick(struct snapshots *s, uint64_t now_ns);

#endif
