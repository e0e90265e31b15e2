/* SPDX-License-Identifier: Apache-2.0 */
#include "engines/no_data.h"

static int ftruncate_check(struct job *job, struct err *err)
{
	return no_data_check(job, RW_WRITE, true, err);
}

static int32_t do_io(const struct engine *e, const struct io *io)
{
	if (io->dir != DIR_WRITE)
		return single_io_other(e, io);
	return no_data_result(io, ftruncate(e->files[io->file].fd, (off_t)io->offset));
}

static int ftruncate_commit(struct engine *e)
{
	struct io *io = ((struct single_io *)e->state)->io;

	io->result = do_io(e, io);
	return 1;
}

const struct engine_ops engine_ftruncate = {
	.name = "ftruncate",
	.help = "ftruncate(2): a write makes the file as long as its offset",
	.depth_max = 1,
	.state_size = sizeof(struct single_io),
	.check = ftruncate_check,
	.queue = single_io_queue,
	.commit = ftruncate_commit,
	.reap = single_io_reap,
};
