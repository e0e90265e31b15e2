/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_ENGINES_TRIM_H
#define IOGATE_ENGINES_TRIM_H

#include <errno.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "engines/engine.h"

/*
 * A trim is BLKDISCARD of a block device: a file, or a device that cannot discard, fails
 * with EOPNOTSUPP. It goes by the descriptor that claims the device: by any other one the
 * kernel fails with EBUSY where a page of the range is still to be written. The call waits
 * for the device, so an asynchronous engine does one trim in reap(), where its time counts as
 * completion latency, and no other I/O of the job is looked at meanwhile.
 */
static inline int32_t trim_now(const struct engine *e, const struct io *io)
{
	const struct engine_file *f = &e->files[io->file];
	const uint64_t range[2] = { io->offset, io->length };

	if (!ioctl(f->claim_fd ? f->claim_fd : f->fd, BLKDISCARD, range))
		return (int32_t)io->length;
	return errno == ENOTTY ? -EOPNOTSUPP : -errno;
}

/* Trims between queue() and reap() of an asynchronous engine, in the order they came. */
struct trim_queue {
	struct io **ios;		/* depth of them */
	unsigned first, count;
};

static inline int trim_queue_init(struct trim_queue *q, const struct engine *e)
{
	q->ios = calloc(e->depth, sizeof(struct io *));
	return q->ios ? 0 : -ENOMEM;
}

static inline void trim_queue_release(struct trim_queue *q)
{
	free(q->ios);
	q->ios = NULL;
}

static inline void trim_queue_add(struct trim_queue *q, const struct engine *e, struct io *io)
{
	q->ios[(q->first + q->count++) % e->depth] = io;
}

/* Do the oldest, of which there has to be one. */
static inline struct io *trim_queue_do(struct trim_queue *q, const struct engine *e)
{
	struct io *io = q->ios[q->first];

	q->first = (q->first + 1) % e->depth;
	q->count--;
	io->result = trim_now(e, io);
	return io;
}

#endif
