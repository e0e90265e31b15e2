/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_SINGLE_IO_H
#define IOGATE_SINGLE_IO_H

#include <errno.h>
#include <unistd.h>

#include "engines/engine.h"
#include "engines/trim.h"

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

/* What is neither read nor written: a sync or a trim. */
static inline int32_t single_io_other(const struct engine *e, const struct io *io)
{
	const int fd = e->files[io->file].fd;

	switch (io->dir) {
	case DIR_TRIM:
		return trim_now(e, io);
	case DIR_SYNC:
		return single_io_result(io->data_only ? fdatasync(fd) : fsync(fd));
	default:
		return -EOPNOTSUPP;
	}
}

#endif
