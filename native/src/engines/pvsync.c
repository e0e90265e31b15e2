/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/uio.h>

#include "engines/single_io.h"

static int32_t do_io(const struct engine *e, const struct io *io)
{
	const struct iovec all = { io->buffer, io->length };
	const int fd = e->files[io->file].fd;

	switch (io->dir) {
	case DIR_READ:
		return single_io_result(preadv(fd, &all, 1, (off_t)io->offset));
	case DIR_WRITE:
		return single_io_result(pwritev(fd, &all, 1, (off_t)io->offset));
	default:
		return single_io_other(e, io);
	}
}

static int pvsync_commit(struct engine *e)
{
	struct io *io = ((struct single_io *)e->state)->io;

	io->result = do_io(e, io);
	return 1;
}

const struct engine_ops engine_pvsync = {
	.name = "pvsync",
	.help = "preadv(2) and pwritev(2), one at a time",
	.depth_max = 1,
	.state_size = sizeof(struct single_io),
	.queue = single_io_queue,
	.commit = pvsync_commit,
	.reap = single_io_reap,
};
