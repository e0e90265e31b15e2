/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>

#include "engines/net_link.h"

/*
 * ioengine=netsplice: as net (net.c), with pages that are moved between the socket and a pipe
 * (splice), and between the pipe and the buffer (vmsplice). A block that is sent is not copied:
 * what arrives may be what the next one has been made of since. Datagrams go as with net.
 */
enum { PIPE_WANTED = 1 << 20 };		/* bytes: what users who are not root may ask for */

struct netsplice_state {
	struct net_link link;		/* the first: what net_ works on */
	int out, in;			/* the ends to read and to write */
	size_t pipe_bytes;
	size_t waiting_bytes;		/* of the block, in the pipe on their way to the socket */
};

static int netsplice_open(struct engine *e)
{
	struct netsplice_state *s = e->state;
	int ends[2], bytes, ret = net_open(e);

	if (ret)
		return ret;
	if (pipe2(ends, O_CLOEXEC)) {
		ret = err_set(e->err, -errno, "cannot make a pipe for ioengine=netsplice: %s",
			      strerror(errno));
		net_close(e);
		return ret;
	}
	s->out = ends[0];
	s->in = ends[1];
	bytes = fcntl(s->in, F_SETPIPE_SZ, PIPE_WANTED);
	if (bytes < 0)			/* pipe-user-pages-soft is used up: less is slower */
		bytes = fcntl(s->in, F_GETPIPE_SZ);
	s->pipe_bytes = (size_t)bytes;
	return 0;
}

static void netsplice_close(struct engine *e)
{
	struct netsplice_state *s = e->state;

	net_close(e);
	close(s->out);
	close(s->in);
}

static ssize_t splice_receive(struct engine *e, char *at, size_t bytes)
{
	struct netsplice_state *s = e->state;
	ssize_t came, moved = 0;

	if (net_is_datagram(net_options_of(e)))
		return net_receive(e, at, bytes);
	came = splice(s->link.fd, NULL, s->in, NULL, bytes < s->pipe_bytes ? bytes : s->pipe_bytes,
		      0);
	while (moved < came) {
		const struct iovec rest = { at + moved, (size_t)(came - moved) };
		const ssize_t ret = vmsplice(s->out, &rest, 1, 0);

		if (ret <= 0)
			return -1;
		moved += ret;
	}
	return came;
}

static ssize_t splice_send(struct engine *e, char *at, size_t bytes)
{
	const struct iovec all = { at, bytes };
	struct netsplice_state *s = e->state;
	ssize_t ret;

	if (net_is_datagram(net_options_of(e)))
		return net_send(e, at, bytes);
	if (!s->waiting_bytes) {
		ret = vmsplice(s->in, &all, 1, SPLICE_F_NONBLOCK);
		if (ret <= 0)
			return -1;
		s->waiting_bytes = (size_t)ret;
	}
	ret = splice(s->out, NULL, s->link.fd, NULL, s->waiting_bytes, 0);
	s->waiting_bytes -= ret > 0 ? (size_t)ret : 0;
	return ret;
}

static int netsplice_commit(struct engine *e)
{
	return net_commit(e, splice_receive, splice_send);
}

const struct engine_ops engine_netsplice = {
	.name = "netsplice",
	.help = "as net, by splice(2) and vmsplice(2): what is sent is not copied",
	.depth_max = 1,
	.flags = ENGINE_ENDS,
	.files = &net_files,
	.state_size = sizeof(struct netsplice_state),
	.options = net_options,
	.options_size = sizeof(struct net_options),
	.check = net_check,
	.open = netsplice_open,
	.meets = net_meets,
	.close = netsplice_close,
	.queue = single_io_queue,
	.commit = netsplice_commit,
	.reap = single_io_reap,
};
