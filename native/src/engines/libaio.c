/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <libaio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engines/cmdprio.h"
#include "engines/host_limits.h"
#include "engines/rw_flags.h"
#include "engines/trim.h"

enum { IOCB_FLAG_IOPRIO = 1 << 1 };	/* of linux/aio_abi.h, which libaio.h replaces */

struct libaio_state {
	io_context_t context;
	struct iocb **queued;
	unsigned count, in_flight;
	struct io_event *events;
	struct io **refused;		/* failed in io_submit(): reaped next */
	unsigned refused_count;
	struct trim_queue trims;
	struct engine_ops flagged;	/* of a job whose I/Os have flags of their own */
};

struct libaio_options {
	struct cmdprio cmdprio;
	struct rw_flags flags;
	bool userspace_reap;
};

static const struct option libaio_options[] = {
	ATOMIC_ROW(struct libaio_options, flags),
	CMDPRIO_ROWS(struct libaio_options, cmdprio),
	NOWAIT_ROW(struct libaio_options, flags),
	{ "userspace_reap", NULL, &type_flag,
	  OPTION_FIELD(struct libaio_options, userspace_reap), "0",
	  .help = "Taken, and does nothing: completions come by one system call for all." },
	{ .name = NULL },
};

static void libaio_close(struct engine *e)
{
	struct libaio_state *s = e->state;

	if (s->context)
		io_destroy(s->context);
	s->context = NULL;
	free(s->queued);
	free(s->events);
	free(s->refused);
	trim_queue_release(&s->trims);
	rw_flags_close(e);
}

static short opcode(const struct io *io)
{
	if (io->dir == DIR_SYNC)
		return io->data_only ? IO_CMD_FDSYNC : IO_CMD_FSYNC;
	return io->dir == DIR_READ ? IO_CMD_PREAD : IO_CMD_PWRITE;
}

/* The rest of a slot's iocb stays zero; the kernel wants it so of a sync. */
static void libaio_queue(struct engine *e, struct io *io)
{
	struct libaio_state *s = e->state;
	struct iocb *cb = engine_io_space(e, io->slot);

	if (io->dir == DIR_TRIM) {
		trim_queue_add(&s->trims, e, io);
		return;
	}
	cb->aio_lio_opcode = opcode(io);
	cb->aio_fildes = e->files[io->file].fd;
	cb->u.c.buf = io->dir == DIR_SYNC ? NULL : io->buffer;
	cb->u.c.nbytes = io->length;
	cb->u.c.offset = (long long)io->offset;
	s->queued[s->count++] = cb;
}

static void libaio_queue_flagged(struct engine *e, struct io *io)
{
	const struct libaio_options *o = e->job->engine_options;
	struct iocb *cb = engine_io_space(e, io->slot);

	cb->aio_rw_flags = rw_flags_of(&o->flags, io);
	libaio_queue(e, io);
}

static int libaio_open(struct engine *e)
{
	const struct libaio_options *o = e->job->engine_options;
	struct libaio_state *s = e->state;
	int ret;

	s->queued = calloc(e->depth, sizeof(*s->queued));
	s->events = calloc(e->depth, sizeof(*s->events));
	s->refused = calloc(e->depth, sizeof(struct io *));
	for (uint32_t i = 0; i < e->depth; i++)
		((struct iocb *)engine_io_space(e, i))->data = &e->ios[i];
	ret = !trim_queue_init(&s->trims, e) && s->queued && s->events && s->refused
	      ? io_setup((int)e->depth, &s->context) : -ENOMEM;
	if (ret) {
		limits_aio_error(e, ret);
		libaio_close(e);
	} else if (o && rw_flags_any(&o->flags)) {
		rw_flags_open(e, &s->flagged, libaio_queue_flagged);
	}
	return ret;
}

static void libaio_prioritize(struct engine *e, const struct io *io, uint16_t priority)
{
	struct iocb *cb = engine_io_space(e, io->slot);

	cb->u.c.flags = priority ? IOCB_FLAG_IOPRIO : 0;
	cb->aio_reqprio = (short)priority;
}

static int libaio_check(struct job *job, struct err *err)
{
	const struct libaio_options *o = job->engine_options;

	if (!o)
		return 0;
	rw_flags_check(job, &o->flags);
	return cmdprio_check(job, &o->cmdprio, err);
}

/* An iocb that io_submit() itself refuses (unaligned, say) is an I/O that failed. */
static void refuse(struct libaio_state *s, struct iocb *cb, int code)
{
	struct io *io = cb->data;

	io->result = code;
	s->refused[s->refused_count++] = io;
}

/* The library's function and its own errno convention cost as much as all else here. */
static int submit(struct libaio_state *s, struct iocb **first, unsigned count)
{
	const long ret = syscall(SYS_io_submit, s->context, (long)count, first);

	return ret < 0 ? -errno : (int)ret;
}

/* EAGAIN: the kernel is short of requests. Those in flight free some, so what is
 * left stays queued for the next commit, which follows the next reap. */
static int libaio_commit(struct engine *e)
{
	struct libaio_state *s = e->state;
	unsigned next = 0;

	while (next < s->count) {
		const int ret = submit(s, s->queued + next, s->count - next);

		if (ret > 0) {
			next += (unsigned)ret;
			s->in_flight += (unsigned)ret;
		} else if (ret == -EAGAIN && s->in_flight) {
			break;
		} else if (ret != -EINTR) {
			refuse(s, s->queued[next++], ret ? ret : -EIO);
		}
	}
	s->count -= next;
	if (s->count)
		memmove(s->queued, s->queued + next, s->count * sizeof(*s->queued));
	return (int)next;
}

static unsigned take_refused(struct libaio_state *s, unsigned most, struct io **done)
{
	const unsigned count = s->refused_count < most ? s->refused_count : most;

	for (unsigned i = 0; i < count; i++)
		done[i] = s->refused[--s->refused_count];
	return count;
}

static int take_events(struct engine *e, unsigned min, unsigned most, struct io **done)
{
	struct libaio_state *s = e->state;
	struct timespec limit = { .tv_sec = (time_t)(e->timeout_ns / 1000000000u),
				  .tv_nsec = (long)(e->timeout_ns % 1000000000u) };
	int count;

	count = io_getevents(s->context, min < s->in_flight ? min : s->in_flight, most,
			     s->events, e->timeout_ns ? &limit : NULL);
	if (count < 0)
		return count == -EINTR ? 0 : count;
	for (int i = 0; i < count; i++) {
		struct io *io = s->events[i].data;

		io->result = (int32_t)s->events[i].res;
		done[i] = io;
	}
	s->in_flight -= (unsigned)count;
	return count;
}

static int libaio_reap(struct engine *e, unsigned min, struct io **done)
{
	struct libaio_state *s = e->state;

	if (s->refused_count)
		return (int)take_refused(s, e->reap_max, done);
	if (__builtin_expect(!s->trims.count, 1))
		return take_events(e, min, e->reap_max, done);
	done[0] = trim_queue_do(&s->trims, e);
	return 1;
}

const struct engine_ops engine_libaio = {
	.name = "libaio",
	.help = "Linux native asynchronous I/O; asynchronous only with direct=1",
	.depth_max = 1 << 16,
	.state_size = sizeof(struct libaio_state),
	.io_space = sizeof(struct iocb),
	.options = libaio_options,
	.options_size = sizeof(struct libaio_options),
	.check = libaio_check,
	.open = libaio_open,
	.close = libaio_close,
	.queue = libaio_queue,
	.prioritize = libaio_prioritize,
	.commit = libaio_commit,
	.reap = libaio_reap,
};
