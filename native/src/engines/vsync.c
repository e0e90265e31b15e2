/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdlib.h>
#include <sys/uio.h>

#include "engines/position.h"
#include "engines/single_io.h"

/* One call moves what was committed together, lies side by side and has one direction. The call
 * is made where I/Os are reaped: their latency is its time and what they waited for it. */
struct vsync_state {
	struct io **queued;		/* a ring of depth, in order */
	struct iovec *vectors;
	bool *begins;			/* of each place in the ring: first of a commit */
	struct position position;
	uint32_t first, count;		/* of the ring: those not done yet */
	uint32_t committed;		/* and those of them that were handed over */
};

static void vsync_close(struct engine *e)
{
	struct vsync_state *s = e->state;

	free(s->queued);
	free(s->vectors);
	free(s->begins);
}

static int vsync_open(struct engine *e)
{
	struct vsync_state *s = e->state;

	s->queued = calloc(e->depth, sizeof(struct io *));
	s->vectors = calloc(e->depth, sizeof(*s->vectors));
	s->begins = calloc(e->depth, sizeof(*s->begins));
	if (s->queued && s->vectors && s->begins)
		return 0;
	vsync_close(e);
	return err_set(e->err, -ENOMEM, "no memory for %u I/Os in flight", e->depth);
}

static uint32_t place(const struct engine *e, uint32_t index)
{
	const struct vsync_state *s = e->state;
	const uint32_t at = s->first + index;

	return at < e->depth ? at : at - e->depth;
}

static void vsync_queue(struct engine *e, struct io *io)
{
	struct vsync_state *s = e->state;
	const uint32_t at = place(e, s->count);

	s->queued[at] = io;
	s->begins[at] = s->count == s->committed;
	s->count++;
}

static int vsync_commit(struct engine *e)
{
	struct vsync_state *s = e->state;
	const uint32_t handed = s->count - s->committed;

	s->committed = s->count;
	return (int)handed;
}

static bool goes_on(const struct io *before, const struct io *io)
{
	return io->dir == before->dir && io->file == before->file &&
	       io->offset == before->offset + before->length;
}

/* The vectors of the next call: how many, at most so many. */
static uint32_t gather(const struct engine *e, uint32_t room)
{
	const struct vsync_state *s = e->state;
	const uint32_t limit = room < IOV_MAX ? room : IOV_MAX;
	const uint32_t most = s->committed < limit ? s->committed : limit;
	const struct io *before = NULL;
	uint32_t n = 0;

	for (; n < most; n++) {
		const uint32_t at = place(e, n);
		const struct io *io = s->queued[at];

		if (before && (s->begins[at] || !goes_on(before, io)))
			break;
		s->vectors[n] = (struct iovec){ io->buffer, io->length };
		before = io;
	}
	return n;
}

static ssize_t move(struct engine *e, const struct io *first, uint32_t n)
{
	struct vsync_state *s = e->state;
	const int fd = e->files[first->file].fd;
	ssize_t moved = position_seek(&s->position, e, first);

	if (moved)
		return moved;
	moved = first->dir == DIR_READ ? readv(fd, s->vectors, (int)n)
				       : writev(fd, s->vectors, (int)n);
	moved = moved < 0 ? -errno : moved;
	position_moved(&s->position, first, moved);
	return moved;
}

static void take(struct engine *e, uint32_t n)
{
	struct vsync_state *s = e->state;

	s->first = place(e, n);
	s->count -= n;
	s->committed -= n;
}

/* A call that moved less than all has done the I/Os that it reached: the rest is another call.
 * One that failed is made again for the first I/O alone: an error is of the I/O that has it. */
static uint32_t do_next(struct engine *e, uint32_t room, struct io **done)
{
	const struct vsync_state *s = e->state;
	struct io *first = s->queued[s->first];
	uint32_t n = 0;
	ssize_t left;

	if (first->dir != DIR_READ && first->dir != DIR_WRITE) {
		first->result = single_io_other(e, first);
		done[n++] = first;
	} else {
		uint32_t asked = gather(e, room);

		left = move(e, first, asked);
		if (left < 0 && asked > 1)
			left = move(e, first, asked = 1);
		do {
			struct io *io = s->queued[place(e, n)];

			io->result = left < (ssize_t)io->length ? (int32_t)left
								: (int32_t)io->length;
			left -= io->result;
			done[n++] = io;
		} while (n < asked && left > 0);
	}
	take(e, n);
	return n;
}

/* Nothing is done in between: a look alone makes a call, too. */
static int vsync_reap(struct engine *e, unsigned min, struct io **done)
{
	const struct vsync_state *s = e->state;
	uint32_t n = 0;

	while (s->committed && (!n || n < min))
		n += do_next(e, e->reap_max - n, done + n);
	return (int)n;
}

static int vsync_file_changed(struct engine *e, uint32_t file)
{
	(void)file;
	((struct vsync_state *)e->state)->position.file = 0;
	return 0;
}

const struct engine_ops engine_vsync = {
	.name = "vsync",
	.help = "readv(2) and writev(2), of what is committed together and lies side by side",
	.depth_max = 1 << 16,
	.state_size = sizeof(struct vsync_state),
	.open = vsync_open,
	.close = vsync_close,
	.file_changed = vsync_file_changed,
	.queue = vsync_queue,
	.commit = vsync_commit,
	.reap = vsync_reap,
};
