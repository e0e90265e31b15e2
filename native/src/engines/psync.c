/* SPDX-License-Identifier: Apache-2.0 */
#include "engines/single_io.h"

static int32_t do_io(const struct engine *e, const struct io *io)
{
	const int fd = e->files[io->file].fd;

	switch (io->dir) {
	case DIR_READ:
		return single_io_result(pread(fd, io->buffer, io->length, (off_t)io->offset));
	case DIR_WRITE:
		return single_io_result(pwrite(fd, io->buffer, io->length, (off_t)io->offset));
	default:
		return single_io_other(e, io);
	}
}

static int psync_commit(struct engine *e)
{
	struct io *io = ((struct single_io *)e->state)->io;

	io->result = do_io(e, io);
	return 1;
}

const struct engine_ops engine_psync = {
	.name = "psync",
	.help = "pread(2) and pwrite(2), one at a time",
	.depth_max = 1,
	.state_size = sizeof(struct single_io),
	.queue = single_io_queue,
	.commit = psync_commit,
	.reap = single_io_reap,
};
