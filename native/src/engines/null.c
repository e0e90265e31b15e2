/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engines/engine.h"

/* Moves nothing: what is left is the cost of the engine itself. An I/O is done when it
 * is queued; reap() hands all of them back, as loops commit before they reap. */
struct null_state {
	struct io **queued;
	unsigned count;
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
	(void)e;
	return 0;
}

/* Where not all may be handed back at once: none waits for ever. */
static __attribute__((noinline)) int oldest(struct null_state *s, unsigned most,
					    struct io **done)
{
	memcpy(done, s->queued, most * sizeof(*done));
	s->count -= most;
	memmove(s->queued, s->queued + most, s->count * sizeof(*s->queued));
	return (int)most;
}

static int null_reap(struct engine *e, unsigned min, struct io **done)
{
	struct null_state *s = e->state;
	const unsigned most = e->reap_max;
	unsigned count = 0;

	(void)min;
	if (s->count == 1) {
		s->count = 0;
		done[0] = s->queued[0];
		return 1;
	}
	if (s->count > most)
		return oldest(s, most, done);
	while (s->count)
		done[count++] = s->queued[--s->count];
	return (int)count;
}

const struct engine_ops engine_null = {
	.name = "null",
	.help = "moves no data: measures the engine itself",
	.depth_max = 1 << 16,
	.files = &engine_no_files,
	.state_size = sizeof(struct null_state),
	.open = null_open,
	.close = null_close,
	.queue = null_queue,
	.commit = null_commit,
	.reap = null_reap,
};
