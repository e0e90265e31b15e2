/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_BUFFERS_H
#define IOGATE_BUFFERS_H

#include <stddef.h>

#include "job/job.h"
#include "util/err.h"

/* Memory of a clone's I/O buffers, of the kind that mem= says, and what lockmem= locks. */
struct buffers {
	void *first;			/* begins at a multiple of iomem_align */
	void *mapping, *locked;		/* NULL: none */
	size_t mapping_bytes, locked_bytes;
	bool attached;			/* shmat(), not mmap() */
};

/* `bytes` of zeros that first begins; with `populate` they are in memory at once. 0, or -errno
 * with a text in *err. Release also after a failure. */
int buffers_make(struct buffers *b, const struct job *job, size_t bytes, bool populate,
		 struct err *err);
void buffers_release(struct buffers *b);

#endif
