/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_ENGINES_ONE_H
#define IOGATE_ENGINES_ONE_H

#include <errno.h>
#include <unistd.h>

#include "engines/engine.h"

/* What every synchronous engine needs: the one I/O between queue() and reap(). */
struct one {
	struct io *io;
};

static inline void one_queue(struct engine *e, struct io *io)
{
	((struct one *)e->state)->io = io;
}

static inline int one_reap(struct engine *e, unsigned min, struct io **done)
{
	(void)min;
	done[0] = ((struct one *)e->state)->io;
	return 1;
}

/* The result of a system call as an I/O's result. */
static inline int32_t one_result(ssize_t returned)
{
	return returned < 0 ? -errno : (int32_t)returned;
}

static inline int32_t one_sync(int fd, const struct io *io)
{
	return one_result(io->data_only ? fdatasync(fd) : fsync(fd));
}

#endif
