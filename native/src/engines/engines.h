/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The room engines: one file an ioengine, and what all of them share.
 *
 *	engine.h	what an ioengine is given and must do; struct io, one I/O in flight
 *	engines.h	the one list of them: a new one is a file here and a line there
 *	single_io.h	for synchronous engines: the one I/O between queue() and reap()
 *	position.h	for engines whose calls have no offset: where the file position is
 *	no_data.h	for engines whose I/O is a call of the filesystem that moves no data
 *	directories.h	and for those whose files are directories
 *	kept_program.h	a program that never outlives its job
 *	stat_call.h	which call looks at a path
 *	net_link.h	for engines whose other end is a process behind a socket
 *	net_address.h	where that is
 *	trim.h		a trim: of one that waits for it, and of one that does not
 *	rw_flags.h	what reads and writes ask of the kernel: to be whole, not to wait
 *	cmdprio.h	which I/Os have a priority of their own
 *	host_limits.h	errors that say which limit of this machine to raise
 *
 * An ioengine knows its job, its files (opened by the room target) and nothing of loops, of
 * counting or of other ioengines.
 */
#ifndef IOGATE_ENGINES_H
#define IOGATE_ENGINES_H

#include "engines/engine.h"

/* The one list of ioengines: X(name) is engines/name.c, which defines engine_name. */
#define ENGINES(X)	\
	X(sync)		\
	X(psync)	\
	X(vsync)	\
	X(pvsync)	\
	X(pvsync2)	\
	X(libaio)	\
	X(io_uring)	\
	X(mmap)		\
	X(splice)	\
	X(posixaio)	\
	X(net)		\
	X(netsplice)	\
	X(null)		\
	X(cpuio)	\
	X(exec)		\
	X(falloc)	\
	X(e4defrag)	\
	X(ftruncate)	\
	X(filecreate)	\
	X(filestat)	\
	X(filedelete)	\
	X(dircreate)	\
	X(dirstat)	\
	X(dirdelete)

#define ENGINE_DECLARE(name) extern const struct engine_ops engine_##name;
ENGINES(ENGINE_DECLARE)
#undef ENGINE_DECLARE

/* NULL-terminated, in the order of the list. */
extern const struct engine_ops *const engines_all[];
const struct engine_ops *engine_find(const char *name);		/* NULL: no such engine */

#endif
