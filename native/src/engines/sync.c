/* SPDX-License-Identifier: Apache-2.0 */
#include "engines/position.h"
#include "engines/single_io.h"

struct sync_state {
	struct single_io single;	/* the first: what single_io_ works on */
	struct position position;
};

static int32_t do_io(const struct engine *e, const struct io *io)
{
	const int fd = e->files[io->file].fd;

	return single_io_result(io->dir == DIR_READ ? read(fd, io->buffer, io->length)
						    : write(fd, io->buffer, io->length));
}

static int32_t seek_and_do(const struct engine *e, const struct io *io)
{
	struct sync_state *s = e->state;
	int32_t result;

	if (io->dir != DIR_READ && io->dir != DIR_WRITE)
		return single_io_other(e, io);
	result = position_seek(&s->position, e, io);
	if (result)
		return result;
	result = do_io(e, io);
	position_moved(&s->position, io, result);
	return result;
}

static int sync_commit(struct engine *e)
{
	struct io *io = ((struct single_io *)e->state)->io;

	io->result = seek_and_do(e, io);
	return 1;
}

/* Another descriptor has a position of its own. */
static int sync_file_changed(struct engine *e, uint32_t file)
{
	(void)file;
	((struct sync_state *)e->state)->position.file = 0;
	return 0;
}

const struct engine_ops engine_sync = {
	.name = "sync",
	.help = "read(2), write(2) and lseek(2), one at a time",
	.depth_max = 1,
	.state_size = sizeof(struct sync_state),
	.file_changed = sync_file_changed,
	.queue = single_io_queue,
	.commit = sync_commit,
	.reap = single_io_reap,
};
