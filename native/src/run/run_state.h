/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_RUN_STATE_H
#define IOGATE_RUN_STATE_H

#include "run/bandwidth_log.h"
#include "run/cgroups.h"
#include "run/disk_util.h"
#include "run/idleness.h"
#include "run/log_watch.h"
#include "run/rows.h"
#include "run/run_options.h"
#include "run/snapshot.h"
#include "run/status.h"
#include "run/workers.h"
#include "target/device_claims.h"

/* All that a run has while it goes on. */
struct run {
	const struct job_list *jobs;
	const struct run_options *options;
	struct result *result;
	struct workers workers;
	struct rows rows;
	struct status status;
	struct disk_watch disks;
	struct device_claims claims;
	struct log_watch logs;
	struct cgroups cgroups;
	struct snapshots snapshots;
	struct idle_watch idle;
	struct bandwidth_log bandwidth;
	uint64_t begin_ns;
	bool triggered;
	bool over;			/* exit_what=all, or triggered: no group follows */
};

#endif
