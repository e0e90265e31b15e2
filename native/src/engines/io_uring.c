/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/cmdprio.h"
#include "engines/host_limits.h"
#include "engines/rw_flags.h"
#include "engines/trim.h"
#include "job/option.h"

/*
 * The rings are liburing's, filled by hand: entry `slot` of the submission queue always
 * belongs to the I/O of that slot, so what never changes is written once, and the index
 * array says which slots are handed over.
 */
struct uring_state {
	struct io_uring ring;
	unsigned tail, pending;		/* of the index array; entries not handed over yet */
	unsigned enter_flags;
	bool polled;			/* a kernel thread looks for submissions */
	bool fixed_buffers, fixed_files;
	struct trim_queue trims;
	struct engine_ops flagged;	/* of a job whose I/Os have flags of their own */
	uint64_t handed;		/* of such a job, so far */
};

struct uring_options {
	bool fixedbufs, registerfiles, sqthread_poll, hipri;
	uint32_t sqthread_poll_cpu, force_async, nonvectored;
	struct cmdprio cmdprio;
	struct rw_flags flags;
};

#define OWN(field) OPTION_FIELD(struct uring_options, field)
enum { ANY_CPU = UINT16_MAX };

static const struct option uring_options[] = {
	ATOMIC_ROW(struct uring_options, flags),
	CMDPRIO_ROWS(struct uring_options, cmdprio),
	{ "fixedbufs", NULL, &type_flag, OWN(fixedbufs), "0",
	  .help = "Fail where buffers cannot be registered with the ring; without it they "
		  "are registered where possible." },
	{ "force_async", NULL, &type_number, OWN(force_async), "0",
	  .help = "Each I/O of this number goes to a thread of the kernel (IOSQE_ASYNC); 0 is "
		  "none." },
	{ "hipri", NULL, &type_flag, OWN(hipri), "0",
	  .help = "Poll for completions (IORING_SETUP_IOPOLL); needs direct=1 and a device that "
		  "can." },
	{ "nonvectored", NULL, &type_number, OWN(nonvectored), "1",
	  .help = "Taken, and does nothing: an I/O has one buffer, and is never vectored." },
	NOWAIT_ROW(struct uring_options, flags),
	{ "registerfiles", NULL, &type_flag, OWN(registerfiles), "0",
	  .help = "Fail where files cannot be registered with the ring; without it they are "
		  "registered where possible." },
	{ "sqthread_poll", NULL, &type_flag, OWN(sqthread_poll), "0",
	  .help = "A kernel thread polls for submissions: no system call hands them over." },
	{ "sqthread_poll_cpu", NULL, &type_number, OWN(sqthread_poll_cpu), "65535", 0,
	  ANY_CPU,
	  .help = "CPU that the thread of sqthread_poll is bound to; 65535 is any." },
	UNCACHED_ROW(struct uring_options, flags),
	{ .name = NULL },
};

enum { FIXED_BUFFER_MAX = 1 << 30 };	/* the kernel's limit for one registered buffer */

/* From the cheapest set of flags to what every kernel with io_uring knows. */
static const unsigned flag_sets[][3] = {
	{ IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_COOP_TASKRUN,
	  IORING_SETUP_COOP_TASKRUN, 0 },
	{ IORING_SETUP_SQPOLL | IORING_SETUP_SINGLE_ISSUER, IORING_SETUP_SQPOLL,
	  IORING_SETUP_SQPOLL },
};

static int ring_init(struct engine *e)
{
	const struct uring_options *o = e->job->engine_options;
	struct uring_state *s = e->state;
	int ret = -EINVAL;

	s->polled = o && o->sqthread_poll;
	for (int i = 0; ret == -EINVAL && i < 3; i++) {
		struct io_uring_params p = { .flags = flag_sets[s->polled][i] };

		if (o && o->hipri)
			p.flags |= IORING_SETUP_IOPOLL;
		if (o && s->polled && o->sqthread_poll_cpu != ANY_CPU) {
			p.flags |= IORING_SETUP_SQ_AFF;
			p.sq_thread_cpu = o->sqthread_poll_cpu;
		}
		ret = io_uring_queue_init_params(e->depth, &s->ring, &p);
	}
	return ret;
}

static int register_buffers(struct engine *e)
{
	struct uring_state *s = e->state;
	const struct iovec all = { e->buffers, e->depth * e->buffer_bytes };

	return all.iov_len > FIXED_BUFFER_MAX ? -EFBIG
					      : io_uring_register_buffers(&s->ring, &all, 1);
}

static int register_files(struct engine *e)
{
	struct uring_state *s = e->state;
	int *fds = calloc(e->files_count, sizeof(int));
	int ret = -ENOMEM;

	for (uint32_t i = 0; fds && i < e->files_count; i++)
		fds[i] = e->files[i].fd;
	if (fds)
		ret = io_uring_register_files(&s->ring, fds, e->files_count);
	free(fds);
	return ret;
}

/* Registering saves the kernel work per I/O; without it (a small RLIMIT_MEMLOCK, an old
 * kernel) everything still works, so only who asked for it gets an error. */
static int register_resources(struct engine *e)
{
	const struct uring_options *o = e->job->engine_options;
	struct uring_state *s = e->state;
	const int buffers = register_buffers(e), files = register_files(e);

	s->fixed_buffers = !buffers;
	s->fixed_files = !files;
	if (io_uring_register_ring_fd(&s->ring) == 1)
		s->enter_flags = IORING_ENTER_REGISTERED_RING;
	if (buffers && o && o->fixedbufs)
		return limits_buffers_error(e, buffers);
	if (files && o && o->registerfiles)
		return err_set(e->err, files, "registerfiles: cannot register %u files: %s",
			       e->files_count, strerror(-files));
	return 0;
}

static int uring_file_changed(struct engine *e, uint32_t file)
{
	struct uring_state *s = e->state;
	const int fd = e->files[file].fd;
	int ret;

	if (!s->fixed_files)
		return 0;
	ret = io_uring_register_files_update(&s->ring, file, &fd, 1);
	return ret < 0 ? err_set(e->err, ret, "cannot register '%s': %s", e->files[file].path,
				 strerror(-ret)) : 0;
}

static uint8_t opcode(const struct uring_state *s, uint8_t dir)
{
	static const uint8_t opcodes[2][DIR_COUNT] = {
		{ [DIR_READ] = IORING_OP_READ, [DIR_WRITE] = IORING_OP_WRITE,
		  [DIR_SYNC] = IORING_OP_FSYNC },
		{ [DIR_READ] = IORING_OP_READ_FIXED, [DIR_WRITE] = IORING_OP_WRITE_FIXED,
		  [DIR_SYNC] = IORING_OP_FSYNC },
	};

	return opcodes[s->fixed_buffers][dir];
}

static void uring_close(struct engine *e)
{
	struct uring_state *s = e->state;

	io_uring_queue_exit(&s->ring);
	trim_queue_release(&s->trims);
	rw_flags_close(e);
}

/* The loop never exceeds depth, so the ring always has room: no check. */
static void uring_queue(struct engine *e, struct io *io)
{
	struct uring_state *s = e->state;
	struct io_uring_sqe *sqe = &s->ring.sq.sqes[io->slot];
	const bool sync = io->dir == DIR_SYNC;

	if (io->dir == DIR_TRIM) {
		trim_queue_add(&s->trims, e, io);
		return;
	}
	sqe->opcode = opcode(s, io->dir);
	sqe->fd = s->fixed_files ? io->file : e->files[io->file].fd;
	sqe->off = sync ? 0 : io->offset;
	sqe->addr = sync ? 0 : (uintptr_t)io->buffer;
	sqe->len = sync ? 0 : io->length;
	sqe->fsync_flags = sync && io->data_only ? IORING_FSYNC_DATASYNC : 0;
	s->ring.sq.array[s->tail++ & *s->ring.sq.kring_mask] = io->slot;
	s->pending++;
}

/* The kernel makes no registered buffer whole. */
static void uring_queue_flagged(struct engine *e, struct io *io)
{
	const struct uring_options *o = e->job->engine_options;
	struct uring_state *s = e->state;
	struct io_uring_sqe *sqe = &s->ring.sq.sqes[io->slot];
	const int flags = rw_flags_of(&o->flags, io);
	const bool async = o->force_async && ++s->handed % o->force_async == 0;

	uring_queue(e, io);
	if (io->dir == DIR_TRIM)
		return;
	sqe->flags = (uint8_t)((s->fixed_files ? IOSQE_FIXED_FILE : 0) | (async ? IOSQE_ASYNC : 0));
	if (flags & FLAG_ATOMIC)
		sqe->opcode = IORING_OP_WRITE;
	if (io->dir != DIR_SYNC)
		sqe->rw_flags = flags;
}

static int uring_open(struct engine *e)
{
	const struct uring_options *o = e->job->engine_options;
	struct uring_state *s = e->state;
	int ret = ring_init(e);

	if (ret)
		return limits_uring_error(e, ret);
	ret = register_resources(e);
	if (!ret && trim_queue_init(&s->trims, e))
		ret = err_set(e->err, -ENOMEM, "no memory for %u I/Os in flight", e->depth);
	for (uint32_t i = 0; i < e->depth; i++) {
		s->ring.sq.sqes[i] = (struct io_uring_sqe){
			.flags = s->fixed_files ? IOSQE_FIXED_FILE : 0,
			.user_data = (uintptr_t)&e->ios[i],
		};
	}
	if (ret)
		io_uring_queue_exit(&s->ring);
	else if (o && (rw_flags_any(&o->flags) || o->force_async))
		rw_flags_open(e, &s->flagged, uring_queue_flagged);
	return ret;
}

static void uring_prioritize(struct engine *e, const struct io *io, uint16_t priority)
{
	struct uring_state *s = e->state;

	s->ring.sq.sqes[io->slot].ioprio = priority;
}

static int uring_check(struct job *job, struct err *err)
{
	const struct uring_options *o = job->engine_options;

	if (!o)
		return 0;
	rw_flags_check(job, &o->flags);
	return cmdprio_check(job, &o->cmdprio, err);
}

/* What the kernel's thread takes needs a call only when the thread sleeps. */
static int wake_poller(struct uring_state *s)
{
	const int handed = (int)s->pending;

	s->pending = 0;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (IO_URING_READ_ONCE(*s->ring.sq.kflags) & IORING_SQ_NEED_WAKEUP)
		io_uring_enter((unsigned)s->ring.enter_ring_fd, 0, 0,
			       s->enter_flags | IORING_ENTER_SQ_WAKEUP, NULL);
	return handed;
}

/* Hand over what is pending, let completions appear, and wait for min more of them. The
 * kernel may take less when it is short of memory: the rest stays pending. */
static int enter(struct uring_state *s, unsigned min)
{
	int ret;

	ret = io_uring_enter((unsigned)s->ring.enter_ring_fd, s->polled ? 0 : s->pending, min,
			     s->enter_flags | IORING_ENTER_GETEVENTS, NULL);
	if (ret > 0 && !s->polled)
		s->pending -= (unsigned)ret;
	return ret == -EINTR || ret == -EAGAIN || ret == -EBUSY ? 0 : ret;
}

/* The same for a limited time; kernels before 5.11 cannot, then it does not wait. */
static int enter_timed(struct uring_state *s, unsigned min, uint64_t timeout_ns)
{
	struct __kernel_timespec limit = { .tv_sec = (long long)(timeout_ns / 1000000000u),
					   .tv_nsec = (long long)(timeout_ns % 1000000000u) };
	struct io_uring_getevents_arg argument = { .ts = (uintptr_t)&limit };
	int ret;

	if (!(s->ring.features & IORING_FEAT_EXT_ARG))
		return enter(s, 0);
	ret = io_uring_enter2((unsigned)s->ring.enter_ring_fd, 0, min, s->enter_flags |
			      IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG,
			      (sigset_t *)&argument, sizeof(argument));
	return ret == -ETIME || ret == -EINTR || ret == -EBUSY ? 0 : ret;
}

static int uring_commit(struct engine *e)
{
	struct uring_state *s = e->state;

	__atomic_store_n(s->ring.sq.ktail, s->tail, __ATOMIC_RELEASE);
	return s->polled ? wake_poller(s) : enter(s, 0);
}

static unsigned take(struct uring_state *s, unsigned most, struct io **done)
{
	const unsigned head = *s->ring.cq.khead;
	const unsigned there = __atomic_load_n(s->ring.cq.ktail, __ATOMIC_ACQUIRE) - head;
	const unsigned count = there < most ? there : most;
	const unsigned mask = *s->ring.cq.kring_mask;

	for (unsigned i = 0; i < count; i++) {
		const struct io_uring_cqe *cqe = &s->ring.cq.cqes[(head + i) & mask];
		struct io *io = (struct io *)(uintptr_t)cqe->user_data;

		io->result = cqe->res;
		done[i] = io;
	}
	__atomic_store_n(s->ring.cq.khead, head + count, __ATOMIC_RELEASE);
	return count;
}

static int uring_reap(struct engine *e, unsigned min, struct io **done)
{
	struct uring_state *s = e->state;
	unsigned count = 0;
	int ret;

	if (__builtin_expect(s->trims.count, 0))
		done[count++] = trim_queue_do(&s->trims, e);
	count += take(s, e->reap_max - count, done + count);
	if (count >= min && count)
		return (int)count;
	ret = __builtin_expect(e->timeout_ns, 0) ? enter_timed(s, min - count, e->timeout_ns)
						 : enter(s, min - count);
	if (ret < 0)
		return count ? (int)count : ret;
	return (int)(count + take(s, e->reap_max - count, done + count));
}

const struct engine_ops engine_io_uring = {
	.name = "io_uring",
	.help = "io_uring(7) with registered ring, files and buffers where possible",
	.depth_max = 1 << 15,
	.state_size = sizeof(struct uring_state),
	.options = uring_options,
	.options_size = sizeof(struct uring_options),
	.check = uring_check,
	.open = uring_open,
	.close = uring_close,
	.file_changed = uring_file_changed,
	.queue = uring_queue,
	.prioritize = uring_prioritize,
	.commit = uring_commit,
	.reap = uring_reap,
};
