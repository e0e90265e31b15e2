/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_LOOP_BACKING_H
#define IOGATE_LOOP_BACKING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "target/overlay.h"

enum { LOOPS_MAX = 256 };

/* What a loop device stands on: the device `lower`, or else a file, and the one below it where
 * that is on an overlay. All are 0 where neither the kernel nor a path tells. Its blocks are
 * the bytes from start to end there. */
struct loop_backing {
	dev_t loop, lower;
	struct file_id image, below_image;
	uint64_t start_bytes, end_bytes;
	bool below;		/* for the user: this one is among what is looked at */
};

/* All that are attached, by the kernel's word (LOOP_GET_STATUS64), and by their paths
 * where that may not be asked. Returns how many. */
uint32_t loop_backings(struct loop_backing loops[LOOPS_MAX]);

/* Is it this file that it stands on? */
bool loop_backing_is(const struct loop_backing *loop, struct file_id file);

/* Do both stand on the same bytes of the same thing? */
bool loop_backing_shared(const struct loop_backing *a, const struct loop_backing *b);

#endif
