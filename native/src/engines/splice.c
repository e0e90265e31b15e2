/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <sys/uio.h>

#include "engines/single_io.h"

enum { PIPE_WANTED = 1 << 20 };		/* bytes: what users who are not root may ask for */

/* Data goes through a pipe: pages of the file into it and from there into the buffer, and the
 * other way round. It is empty between two I/Os. */
struct splice_state {
	struct single_io single;	/* the first: what single_io_ works on */
	int out, in;			/* the ends to read and to write */
	size_t pipe_bytes;
	bool open;
};

static void splice_close(struct engine *e)
{
	struct splice_state *s = e->state;

	if (!s->open)
		return;
	close(s->out);
	close(s->in);
	s->open = false;
}

static int splice_open(struct engine *e)
{
	struct splice_state *s = e->state;
	int ends[2], bytes;

	if (pipe2(ends, O_CLOEXEC))
		return err_set(e->err, -errno, "cannot make a pipe for ioengine=splice");
	s->out = ends[0];
	s->in = ends[1];
	s->open = true;
	bytes = fcntl(s->in, F_SETPIPE_SZ, PIPE_WANTED);
	if (bytes < 0)			/* pipe-user-pages-soft is used up: less is slower */
		bytes = fcntl(s->in, F_GETPIPE_SZ);
	s->pipe_bytes = (size_t)bytes;
	return 0;
}

/* What a failed I/O left in the pipe goes with it. */
static void empty_pipe(struct engine *e)
{
	splice_close(e);
	splice_open(e);
}

/* The second half of a move came to an end: what had been moved, or why nothing was. */
static ssize_t stopped(struct engine *e, ssize_t moved, ssize_t returned)
{
	const int code = returned ? -errno : -EIO;

	empty_pipe(e);
	return moved ? moved : code;
}

/* The file's next bytes, up to as many as the pipe holds: how many, or -errno. */
static ssize_t read_some(struct engine *e, int fd, off_t *offset, char *to, size_t bytes)
{
	const struct splice_state *s = e->state;
	ssize_t came = splice(fd, offset, s->in, NULL,
			      bytes < s->pipe_bytes ? bytes : s->pipe_bytes, 0);

	for (ssize_t moved = 0; moved < came;) {
		const struct iovec rest = { to + moved, (size_t)(came - moved) };
		const ssize_t ret = vmsplice(s->out, &rest, 1, 0);

		if (ret <= 0)
			return stopped(e, moved, ret);
		moved += ret;
	}
	return came < 0 ? -errno : came;
}

/* What did not fit into the pipe is the next one's. */
static ssize_t write_some(struct engine *e, int fd, off_t *offset, char *from, size_t bytes)
{
	const struct splice_state *s = e->state;
	const struct iovec all = { from, bytes };
	const ssize_t given = vmsplice(s->in, &all, 1, SPLICE_F_NONBLOCK);

	for (ssize_t moved = 0; moved < given;) {
		const ssize_t ret = splice(s->out, NULL, fd, offset, (size_t)(given - moved), 0);

		if (ret <= 0)
			return stopped(e, moved, ret);
		moved += ret;
	}
	return given < 0 ? -errno : given;
}

static int32_t move(struct engine *e, const struct io *io)
{
	const struct splice_state *s = e->state;
	const int fd = e->files[io->file].fd;
	size_t moved = 0;

	while (moved < io->length && s->open) {
		char *at = (char *)io->buffer + moved;
		off_t offset = (off_t)(io->offset + moved);
		const ssize_t ret = io->dir == DIR_READ
				    ? read_some(e, fd, &offset, at, io->length - moved)
				    : write_some(e, fd, &offset, at, io->length - moved);

		if (ret < 0)
			return moved ? (int32_t)moved : (int32_t)ret;
		if (!ret)
			break;
		moved += (size_t)ret;
	}
	return (int32_t)moved;
}

static int splice_commit(struct engine *e)
{
	struct splice_state *s = e->state;
	struct io *io = s->single.io;

	if (io->dir != DIR_READ && io->dir != DIR_WRITE)
		io->result = single_io_other(e, io);
	else
		io->result = s->open ? move(e, io) : -EPIPE;
	return 1;
}

const struct engine_ops engine_splice = {
	.name = "splice",
	.help = "splice(2) and vmsplice(2), through a pipe, one at a time",
	.depth_max = 1,
	.state_size = sizeof(struct splice_state),
	.open = splice_open,
	.close = splice_close,
	.queue = single_io_queue,
	.commit = splice_commit,
	.reap = single_io_reap,
};
