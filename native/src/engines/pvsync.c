/* SPDX-License-Identifier: Apache-2.0 */
#include "engines/vectored_io.h"

static int pvsync_commit(struct engine *e)
{
	struct io *io = ((struct single_io *)e->state)->io;

	io->result = vectored_io(e, io, 0);
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
