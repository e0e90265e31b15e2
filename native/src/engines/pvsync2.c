/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/uio.h>

#include "engines/rw_flags.h"
#include "engines/single_io.h"
#include "util/random.h"

struct pvsync2_state {
	struct single_io single;
	struct random choices;		/* of the I/Os that are polled for */
};

struct pvsync2_options {
	struct rw_flags flags;
	bool hipri;
	uint32_t hipri_percent;
};

#define OWN(field) OPTION_FIELD(struct pvsync2_options, field)

static const struct option pvsync2_options[] = {
	ATOMIC_ROW(struct pvsync2_options, flags),
	{ "hipri", NULL, &type_flag, OWN(hipri), "0",
	  .help = "Poll for completions (RWF_HIPRI); needs direct=1 and a device that can." },
	{ "hipri_percentage", NULL, &type_percent, OWN(hipri_percent), "100",
	  .help = "With hipri, the share of I/Os that are polled for." },
	NOWAIT_ROW(struct pvsync2_options, flags),
	UNCACHED_ROW(struct pvsync2_options, flags),
	{ .name = NULL },
};

static int flags_of(const struct pvsync2_options *o, struct pvsync2_state *s, const struct io *io)
{
	const bool polls = o->hipri && (o->hipri_percent == 100 ||
					random_below(&s->choices, 100) < o->hipri_percent);

	return rw_flags_of(&o->flags, io) | (polls ? RWF_HIPRI : 0);
}

static int32_t do_io(const struct engine *e, const struct io *io, int flags)
{
	const struct iovec all = { io->buffer, io->length };
	const int fd = e->files[io->file].fd;

	switch (io->dir) {
	case DIR_READ:
		return single_io_result(preadv2(fd, &all, 1, (off_t)io->offset, flags));
	case DIR_WRITE:
		return single_io_result(pwritev2(fd, &all, 1, (off_t)io->offset, flags));
	default:
		return single_io_other(e, io);
	}
}

static int pvsync2_commit(struct engine *e)
{
	const struct pvsync2_options *o = e->job->engine_options;
	struct pvsync2_state *s = e->state;
	struct io *io = s->single.io;

	io->result = do_io(e, io, o ? flags_of(o, s, io) : 0);
	return 1;
}

static int pvsync2_check(struct job *job, struct err *err)
{
	const struct pvsync2_options *o = job->engine_options;

	(void)err;
	if (o)
		rw_flags_check(job, &o->flags);
	return 0;
}

const struct engine_ops engine_pvsync2 = {
	.name = "pvsync2",
	.help = "preadv2(2) and pwritev2(2), one at a time",
	.depth_max = 1,
	.state_size = sizeof(struct pvsync2_state),
	.options = pvsync2_options,
	.options_size = sizeof(struct pvsync2_options),
	.check = pvsync2_check,
	.queue = single_io_queue,
	.commit = pvsync2_commit,
	.reap = single_io_reap,
};
