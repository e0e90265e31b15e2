/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <linux/falloc.h>

#include "engines/no_data.h"

/* A trim of a file, which needs no device that discards. */
static const int modes[DIR_DATA_COUNT] = {
	[DIR_READ] = FALLOC_FL_KEEP_SIZE, [DIR_WRITE] = 0,
	[DIR_TRIM] = FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE,
};

static int falloc_check(struct job *job, struct err *err)
{
	return no_data_check(job, RW_READ | RW_WRITE | RW_TRIM, true, err);
}

static int32_t do_io(const struct engine *e, const struct io *io)
{
	const int fd = e->files[io->file].fd;

	if (io->dir >= DIR_DATA_COUNT)
		return single_io_other(e, io);
	return no_data_result(io, fallocate(fd, modes[io->dir], (off_t)io->offset,
					       (off_t)io->length));
}

static int falloc_commit(struct engine *e)
{
	struct io *io = ((struct single_io *)e->state)->io;

	io->result = do_io(e, io);
	return 1;
}

const struct engine_ops engine_falloc = {
	.name = "falloc",
	.help = "fallocate(2): a write allocates (say fallocate=none, or the file has its space "
		"already), a read does beyond the end, a trim frees",
	.depth_max = 1,
	.flags = ENGINE_PUNCHES,
	.state_size = sizeof(struct single_io),
	.check = falloc_check,
	.queue = single_io_queue,
	.commit = falloc_commit,
	.reap = single_io_reap,
};
