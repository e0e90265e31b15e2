/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_RW_FLAGS_H
#define IOGATE_RW_FLAGS_H

#include <stdint.h>

#include "engines/engine.h"
#include "job/option.h"

/*
 * What a job asks of the kernel for each of its reads and writes, by flags of pwritev2(2).
 *
 * atomic=1: after a crash a block that was written is there as a whole or not at all. Each write
 * says so to the kernel (RWF_ATOMIC, Linux 6.11), which fails with EOPNOTSUPP where the file or
 * device cannot, and with EINVAL where it cannot for this block: that has to be a power of 2 and
 * to stand at a multiple of itself. The kernel does it past its cache alone, so that direct=1 is
 * meant, too.
 *
 * nowait=1: what would have to wait fails with EAGAIN. uncached=1: what went through the page
 * cache does not stay there (Linux 6.14; EOPNOTSUPP where the filesystem cannot).
 *
 * An engine whose flags stand in its own structs has a second queue() for such jobs, so that
 * others pay nothing.
 */
struct rw_flags {
	bool atomic, nowait, uncached;
};

/* Those that older headers lack. */
enum { FLAG_NOWAIT = 0x08, FLAG_ATOMIC = 0x40, FLAG_UNCACHED = 0x80 };

/*
 * Rows of an engine's table; `field` is the struct rw_flags of its options.
 * NOLINTBEGIN(bugprone-macro-parentheses): field is a name */
#define ATOMIC_ROW(structure, field)							\
	{ "atomic", NULL, &type_bool, OPTION_FIELD(structure, field.atomic), "0",	\
	  .off_anywhere = true,							\
	  .help = "A write is there as a whole or not at all, after a crash, too "	\
		  "(RWF_ATOMIC); means direct=1." }
#define NOWAIT_ROW(structure, field)							\
	{ "nowait", NULL, &type_bool, OPTION_FIELD(structure, field.nowait), "0",	\
	  .help = "What would have to wait fails with EAGAIN (RWF_NOWAIT); see "	\
		  "ignore_error." }
#define UNCACHED_ROW(structure, field)							\
	{ "uncached", NULL, &type_bool, OPTION_FIELD(structure, field.uncached), "0",	\
	  .help = "What goes through the page cache does not stay there "		\
		  "(RWF_DONTCACHE)." }
/* NOLINTEND(bugprone-macro-parentheses) */

static inline void rw_flags_check(struct job *job, const struct rw_flags *flags)
{
	job->direct = job->direct || (flags->atomic && job->rw & RW_WRITE);
}

static inline bool rw_flags_any(const struct rw_flags *flags)
{
	return flags->atomic || flags->nowait || flags->uncached;
}

/* From now on the engine's I/Os go through another queue(); `own` lives until rw_flags_close(). */
static inline void rw_flags_open(struct engine *e, struct engine_ops *own,
				 void (*queue)(struct engine *e, struct io *io))
{
	*own = *e->ops;
	own->queue = queue;
	e->ops = own;
}

static inline void rw_flags_close(struct engine *e)
{
	e->ops = e->job->ops;
}

static inline int rw_flags_of(const struct rw_flags *flags, const struct io *io)
{
	if (io->dir != DIR_READ && io->dir != DIR_WRITE)
		return 0;
	return (flags->nowait ? FLAG_NOWAIT : 0) | (flags->uncached ? FLAG_UNCACHED : 0) |
	       (flags->atomic && io->dir == DIR_WRITE ? FLAG_ATOMIC : 0);
}

#endif
