/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_DISK_UTIL_H
#define IOGATE_DISK_UTIL_H

#include "run/result.h"
#include "target/target.h"

/* Counters of the block devices under the targets, before a run and after it. */
struct disk_watch {
	struct disk_util *disks;	/* before: absolute counters */
	dev_t *devices;
	uint32_t count, capacity;
	uint64_t begin_ns;
};

/* Each device once, whole disks for their partitions, with the devices below a
 * device mapper or md. What cannot be watched is left out. */
void disk_watch_add(struct disk_watch *w, const struct target *t);
void disk_watch_begin(struct disk_watch *w);
/* The differences so far, of which the caller owns the array (free); no disks without memory. */
void disk_watch_look(const struct disk_watch *w, struct disk_util **disks, size_t *count);
/* Turn counters into differences; the array now belongs to the caller (free). */
void disk_watch_end(struct disk_watch *w, struct disk_util **disks, size_t *count);

#endif
