/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "engine.h"

/* Moves nothing: what is left is the cost of the engine itself. */
struct null_state {
	struct io **queued;
	unsigned count, committed;
};

static int null_open(struct engine *e)
{
	struct null_state *s = e->state;

	s->queued = calloc(e->depth, sizeof(struct io *));
	if (!s->queued)
		return err_set(e->err, -ENOMEM, "no memory for %u I/Os in flight", e->depth);
	return 0;
}

static void null_close(struct engine *e)
{
	free(((struct null_state *)e->state)->queued);
}

static void null_queue(struct engine *e, struct io *io)
{
	struct null_state *s = e->state;

	io->result = (int32_t)io->length;
	s->queued[s->count++] = io;
}

static int null_commit(struct engine *e)
{
	struct null_state *s = e->state;
	const unsigned handed = s->count - s->committed;

	s->committed = s->count;
	return (int)handed;
}

static int null_reap(struct engine *e, unsigned min, struct io **done)
{
	struct null_state *s = e->state;
	const unsigned count = s->committed;

	(void)min;
	for (unsigned i = 0; i < count; i++)
		done[i] = s->queued[i];
	s->count = s->committed = 0;
	return (int)count;
}

const struct engine_ops engine_null = {
	.name = "null",
	.help = "moves no data: measures the engine itself",
	.depth_max = 1 << 16,
	.flags = ENGINE_DISKLESS,
	.state_size = sizeof(struct null_state),
	.open = null_open,
	.close = null_close,
	.queue = null_queue,
	.commit = null_commit,
	.reap = null_reap,
};
