/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_VECTORED_IO_H
#define IOGATE_VECTORED_IO_H

#include <sys/uio.h>

#include "engines/single_io.h"
#include "engines/trim.h"

/* One I/O by preadv2(2) or pwritev2(2), with these of their flags. With none of them the C library
 * calls preadv(2) and pwritev(2), which older kernels have, too. */
static inline int32_t vectored_io(const struct engine *e, const struct io *io, int flags)
{
	const struct iovec all = { io->buffer, io->length };
	const int fd = e->files[io->file].fd;

	switch (io->dir) {
	case DIR_READ:
		return single_io_result(preadv2(fd, &all, 1, (off_t)io->offset, flags));
	case DIR_WRITE:
		return single_io_result(pwritev2(fd, &all, 1, (off_t)io->offset, flags));
	case DIR_TRIM:
		return trim_now(e, io);
	case DIR_SYNC:
		return single_io_sync(fd, io);
	default:
		return -EOPNOTSUPP;
	}
}

#endif
