/* SPDX-License-Identifier: Apache-2.0 */
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "engines/trim.h"

/* The C library's aio: its threads call pread and pwrite for us. */
struct posixaio_state {
	struct io **flying;		/* in flight, in no order */
	const struct aiocb **waiting;	/* their control blocks, for aio_suspend() */
	unsigned count, committed;
	struct trim_queue trims;
};

static void posixaio_close(struct engine *e)
{
	struct posixaio_state *s = e->state;

	free(s->flying);
	free(s->waiting);
	trim_queue_release(&s->trims);
}

static int posixaio_open(struct engine *e)
{
	struct posixaio_state *s = e->state;

	s->flying = calloc(e->depth, sizeof(struct io *));
	s->waiting = calloc(e->depth, sizeof(struct aiocb *));
	if (!trim_queue_init(&s->trims, e) && s->flying && s->waiting)
		return 0;
	posixaio_close(e);
	return err_set(e->err, -ENOMEM, "no memory for %u I/Os in flight", e->depth);
}

static void posixaio_queue(struct engine *e, struct io *io)
{
	struct posixaio_state *s = e->state;
	struct aiocb *cb = engine_io_space(e, io->slot);

	if (io->dir == DIR_TRIM) {
		trim_queue_add(&s->trims, e, io);
		return;
	}
	memset(cb, 0, sizeof(*cb));
	cb->aio_sigevent.sigev_notify = SIGEV_NONE;	/* zero would be a signal */
	cb->aio_fildes = e->files[io->file].fd;
	cb->aio_buf = io->buffer;
	cb->aio_nbytes = io->length;
	cb->aio_offset = (off_t)io->offset;
	s->flying[s->count] = io;
	s->waiting[s->count++] = cb;
}

static int start(struct aiocb *cb, const struct io *io)
{
	switch (io->dir) {
	case DIR_READ:
		return aio_read(cb);
	case DIR_WRITE:
		return aio_write(cb);
	case DIR_SYNC:
		return aio_fsync(io->data_only ? O_DSYNC : O_SYNC, cb);
	default:
		errno = EOPNOTSUPP;
		return -1;
	}
}

/* EAGAIN means that the library is out of room: with others in flight the rest
 * waits for the next commit; any other error is the I/O's result. */
static int posixaio_commit(struct engine *e)
{
	struct posixaio_state *s = e->state;
	const unsigned before = s->committed;

	for (; s->committed < s->count; s->committed++) {
		struct io *io = s->flying[s->committed];

		io->result = 0;
		if (!start(engine_io_space(e, io->slot), io))
			continue;
		if (errno == EAGAIN && s->committed)
			break;
		io->result = -errno;
	}
	return (int)(s->committed - before);
}

static bool finished(const struct engine *e, struct io *io)
{
	struct aiocb *cb = engine_io_space(e, io->slot);
	int error;

	if (io->result)
		return true;		/* never started */
	error = aio_error(cb);
	if (error == EINPROGRESS)
		return false;
	io->result = error ? -error : (int32_t)aio_return(cb);
	return true;
}

static unsigned collect(const struct engine *e, unsigned most, struct io **done)
{
	struct posixaio_state *s = e->state;
	unsigned found = 0;

	for (unsigned i = 0; i < s->committed && found < most;) {
		if (!finished(e, s->flying[i])) {
			i++;
			continue;
		}
		done[found++] = s->flying[i];
		/* Keep the started ones in front of those that still wait to be. */
		s->committed--;
		s->count--;
		s->flying[i] = s->flying[s->committed];
		s->waiting[i] = s->waiting[s->committed];
		s->flying[s->committed] = s->flying[s->count];
		s->waiting[s->committed] = s->waiting[s->count];
	}
	return found;
}

static int posixaio_reap(struct engine *e, unsigned min, struct io **done)
{
	struct posixaio_state *s = e->state;
	const struct timespec limit = { .tv_sec = (time_t)(e->timeout_ns / 1000000000u),
					.tv_nsec = (long)(e->timeout_ns % 1000000000u) };
	unsigned found = 0;

	if (s->trims.count)
		done[found++] = trim_queue_do(&s->trims, e);
	found += collect(e, e->reap_max - found, done + found);
	while (found < min && s->committed) {
		if (aio_suspend(s->waiting, (int)s->committed, e->timeout_ns ? &limit : NULL)) {
			if (errno == EAGAIN && e->timeout_ns)
				break;
			if (errno != EINTR && errno != EAGAIN)
				return -errno;
		}
		found += collect(e, e->reap_max - found, done + found);
	}
	return (int)found;
}

const struct engine_ops engine_posixaio = {
	.name = "posixaio",
	.help = "aio_read(3) and aio_write(3): threads of the C library",
	.depth_max = 1 << 14,
	.state_size = sizeof(struct posixaio_state),
	.io_space = sizeof(struct aiocb),
	.open = posixaio_open,
	.close = posixaio_close,
	.queue = posixaio_queue,
	.commit = posixaio_commit,
	.reap = posixaio_reap,
};
