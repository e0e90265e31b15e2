/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "engine.h"

struct uring_state {
	struct io_uring ring;
	struct io_uring_sqe *templates;	/* by slot */
	unsigned in_flight;
	bool deferred;			/* completions appear only when we enter the kernel */
	bool fixed_buffers, fixed_files;
};

enum { FIXED_BUFFER_MAX = 1 << 30 };	/* the kernel's limit for one registered buffer */

/* From the cheapest set of flags to what every kernel with io_uring knows. */
static const unsigned flag_sets[] = {
	IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_COOP_TASKRUN,
	IORING_SETUP_COOP_TASKRUN,
	0,
};

static int setup_error(struct engine *e, int code)
{
	struct rlimit limit = { 0 };

	switch (code) {
	case -ENOSYS:
		return err_set(e->err, code, "this kernel has no io_uring (Linux 5.1 or newer, "
			       "CONFIG_IO_URING): use ioengine=libaio or psync");
	case -EPERM:
	case -EACCES:
		return err_set(e->err, code, "io_uring is forbidden here: the sysctl "
			       "kernel.io_uring_disabled (0 allows all) or a seccomp filter of "
			       "the container; allow it or use ioengine=libaio");
	case -ENOMEM:
		getrlimit(RLIMIT_MEMLOCK, &limit);
		return err_set(e->err, code, "no memory for a ring of %u I/Os: RLIMIT_MEMLOCK is "
			       "%llu KiB; raise it (ulimit -l %u)", e->depth,
			       (unsigned long long)limit.rlim_cur / 1024, 64 + e->depth);
	default:
		return err_set(e->err, code, "io_uring_setup for %u I/Os: %s", e->depth,
			       strerror(-code));
	}
}

static int ring_init(struct engine *e)
{
	struct uring_state *s = e->state;
	int ret = -EINVAL;

	for (size_t i = 0; ret == -EINVAL && i < sizeof(flag_sets) / sizeof(flag_sets[0]); i++) {
		ret = io_uring_queue_init(e->depth, &s->ring, flag_sets[i]);
		s->deferred = flag_sets[i] & IORING_SETUP_DEFER_TASKRUN;
	}
	return ret;
}

/* Registering saves the kernel work per I/O; without it (a small RLIMIT_MEMLOCK,
 * an old kernel) everything still works. */
static void register_resources(struct engine *e)
{
	struct uring_state *s = e->state;
	const struct iovec all = { e->buffers, e->depth * e->buffer_bytes };
	int *fds = calloc(e->files_count, sizeof(int));

	io_uring_register_ring_fd(&s->ring);
	s->fixed_buffers = all.iov_len <= FIXED_BUFFER_MAX
			   && !io_uring_register_buffers(&s->ring, &all, 1);
	if (!fds)
		return;
	for (uint32_t i = 0; i < e->files_count; i++)
		fds[i] = e->files[i].fd;
	s->fixed_files = !io_uring_register_files(&s->ring, fds, e->files_count);
	free(fds);
}

static uint8_t opcode(const struct uring_state *s, uint8_t dir)
{
	static const uint8_t opcodes[2][DIR_COUNT] = {
		{ IORING_OP_READ, IORING_OP_WRITE, IORING_OP_NOP, IORING_OP_FSYNC },
		{ IORING_OP_READ_FIXED, IORING_OP_WRITE_FIXED, IORING_OP_NOP, IORING_OP_FSYNC },
	};

	return opcodes[s->fixed_buffers][dir];
}

/* What of a slot's entry never changes. */
static void make_templates(struct engine *e)
{
	struct uring_state *s = e->state;

	for (uint32_t i = 0; i < e->depth; i++) {
		s->templates[i] = (struct io_uring_sqe){
			.flags = s->fixed_files ? IOSQE_FIXED_FILE : 0,
			.user_data = (uintptr_t)&e->ios[i],
		};
	}
}

static int uring_open(struct engine *e)
{
	struct uring_state *s = e->state;
	const int ret = ring_init(e);

	if (ret)
		return setup_error(e, ret);
	s->templates = calloc(e->depth, sizeof(*s->templates));
	if (!s->templates) {
		io_uring_queue_exit(&s->ring);
		return err_set(e->err, -ENOMEM, "no memory for %u I/Os in flight", e->depth);
	}
	register_resources(e);
	make_templates(e);
	return 0;
}

static void uring_close(struct engine *e)
{
	struct uring_state *s = e->state;

	io_uring_queue_exit(&s->ring);
	free(s->templates);
}

/* The loop never exceeds depth, so the ring always has room: no check. */
static inline struct io_uring_sqe *next_sqe(struct io_uring_sq *sq)
{
	return &sq->sqes[sq->sqe_tail++ & sq->ring_mask];
}

static void uring_queue(struct engine *e, struct io *io)
{
	struct uring_state *s = e->state;
	struct io_uring_sqe *sqe = next_sqe(&s->ring.sq);

	*sqe = s->templates[io->slot];
	sqe->opcode = opcode(s, io->dir);
	sqe->fd = s->fixed_files ? io->file : e->files[io->file].fd;
	s->in_flight++;
	if (__builtin_expect(io->dir == DIR_SYNC, 0)) {
		sqe->fsync_flags = io->data_only ? IORING_FSYNC_DATASYNC : 0;
		return;
	}
	sqe->off = io->offset;
	sqe->addr = (uintptr_t)io->buffer;
	sqe->len = io->length;
}

/* Handing over is left to reap(), which submits and waits in one system call. */
static int uring_commit(struct engine *e)
{
	return (int)io_uring_sq_ready(&((struct uring_state *)e->state)->ring);
}

static int enter(struct uring_state *s, unsigned min)
{
	int ret;

	if (min || !s->deferred)
		ret = io_uring_submit_and_wait(&s->ring, min < s->in_flight ? min : s->in_flight);
	else
		ret = io_uring_submit_and_get_events(&s->ring);
	return ret == -EINTR || ret == -EAGAIN || ret == -EBUSY ? 0 : ret;
}

static int uring_reap(struct engine *e, unsigned min, struct io **done)
{
	struct uring_state *s = e->state;
	struct io_uring_cqe *cqe;
	unsigned head, count = 0;
	const int ret = enter(s, min);

	if (ret < 0)
		return ret;
	io_uring_for_each_cqe(&s->ring, head, cqe) {
		struct io *io = (struct io *)(uintptr_t)cqe->user_data;

		io->result = cqe->res;
		done[count++] = io;
	}
	io_uring_cq_advance(&s->ring, count);
	s->in_flight -= count;
	return (int)count;
}

const struct engine_ops engine_io_uring = {
	.name = "io_uring",
	.help = "io_uring(7) with registered ring, files and buffers where possible",
	.depth_max = 1 << 15,
	.state_size = sizeof(struct uring_state),
	.open = uring_open,
	.close = uring_close,
	.queue = uring_queue,
	.commit = uring_commit,
	.reap = uring_reap,
};
