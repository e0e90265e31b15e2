/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_SINGLE_IO_H
#define IOGATE_SINGLE_IO_H

#include <errno.h>
#include <unistd.h>

#include "engines/engine.h"

/* What every synchronous engine needs: the one I/O between queue() and reap(). */
struct single_io {
	struct io *io;
};

static inline void single_io_queue(struct engine *e, struct io *io)
{
	((struct single_io *)e->state)->io = io;
}

static inline int single_io_reap(struct engine *e, unsigned min, struct io **done)
{
	(void)min;
	done[0] = ((struct single_io *)e->state)->io;
	return 1;
}

/* The result of a system call as an I/O's result. */
static inline int32_t single_io_result(ssize_t returned)
{
	return returned < 0 ? -errno : (int32_t)returned;
}

static inline int32_t single_io_sync(int fd, const struct io *io)
{
	return single_io_result(io->data_only ? fdatasync(fd) : fsync(fd));
}

#endif
