/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_IDLENESS_H
#define IOGATE_IDLENESS_H

#include <stdbool.h>
#include <stdint.h>

#include "run/run_options.h"

/* --idle-prof: how idle the CPUs were while jobs ran, in percent of the time, and how long a unit
 * of work takes on them: 64 KiB of memory that are summed up. The kernel's own counters tell, so
 * that looking costs the jobs nothing. */
struct idleness {
	enum idle_profile profile;
	uint32_t count;			/* CPUs, online ones from 0 on */
	double system, *cpus;
	double unit_mean_us, unit_stddev_us;	/* over the CPUs that this process may use */
};

/* Counters at the beginning; at the end they become percents. */
struct idle_watch {
	enum idle_profile profile;
	uint32_t count;
	struct idle_ticks *before;
};

void idleness_calibrate(struct idleness *idle);
void idle_watch_begin(struct idle_watch *w, enum idle_profile profile);
void idle_watch_end(struct idle_watch *w, struct idleness *idle);
void idleness_release(struct idleness *idle);

#endif
