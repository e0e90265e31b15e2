/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_WRITTEN_H
#define IOGATE_WRITTEN_H

#include <stdbool.h>
#include <stdint.h>

/* What a job with verify has written and not yet read again. */
struct written_block {
	uint64_t offset;
	uint32_t length, index;		/* index: it was the run's write of this number, from 0 */
	uint16_t file;
	bool trimmed;			/* after all writes of a lower index, before the others */
};

struct written {
	struct written_block *blocks;
	uint32_t first, count, room;	/* blocks[first] is the next to be read; count: the end */
	uint32_t index;			/* of the next write */
};

/* The number of the write, or -ENOMEM. */
int written_add(struct written *w, const struct written_block *block);
/* A block of it was trimmed: the last of what was done there, so far. */
int written_add_trimmed(struct written *w, const struct written_block *block);
/* A write failed: there is nothing to be read of it. */
void written_forget(struct written *w, uint32_t index);
/* Those of each file by their offsets, without those that were written over in part or whole. */
void written_sort(struct written *w);
/* The next one, blocks[first]; NULL: none is left. */
const struct written_block *written_next(const struct written *w);
void written_release(struct written *w);

static inline uint32_t written_left(const struct written *w)
{
	return w->count - w->first;
}

#endif
