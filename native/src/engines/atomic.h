/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_ENGINES_ATOMIC_H
#define IOGATE_ENGINES_ATOMIC_H

#include "engines/engine.h"
#include "job/option.h"

/*
 * atomic=1: after a crash a block that was written is there as a whole or not at all. Each write
 * says so to the kernel (RWF_ATOMIC of pwritev2(2), Linux 6.11), which fails with EOPNOTSUPP
 * where the file or device cannot, and with EINVAL where it cannot for this block: that has to
 * be a power of 2 and to stand at a multiple of itself. The kernel does it past its cache alone,
 * so that direct=1 is meant, too.
 *
 * An engine whose flags of a write stand in its own structs has a second queue() for such jobs,
 * so that others pay nothing.
 */
enum { ATOMIC_FLAG = 0x40 };	/* RWF_ATOMIC, which older headers lack */

/* The row of an engine's table; `field` is a bool of its options. */
#define ATOMIC_ROW(structure, field)							\
	{ "atomic", NULL, &type_bool, OPTION_FIELD(structure, field), "0",		\
	  .help = "A write is there as a whole or not at all, after a crash, too "	\
		  "(RWF_ATOMIC); means direct=1." }

static inline void atomic_check(struct job *job, bool atomic)
{
	job->direct = job->direct || (atomic && job->rw & RW_WRITE);
}

/* From now on the engine's I/Os go through another queue(); `own` lives until atomic_close(). */
static inline void atomic_open(struct engine *e, struct engine_ops *own,
			       void (*queue)(struct engine *e, struct io *io))
{
	*own = *e->ops;
	own->queue = queue;
	e->ops = own;
}

static inline void atomic_close(struct engine *e)
{
	e->ops = e->job->ops;
}

static inline int atomic_flags(const struct io *io)
{
	return io->dir == DIR_WRITE ? ATOMIC_FLAG : 0;
}

#endif
