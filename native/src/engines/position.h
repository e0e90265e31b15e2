/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_ENGINES_POSITION_H
#define IOGATE_ENGINES_POSITION_H

#include <errno.h>
#include <unistd.h>

#include "engines/engine.h"

/* Calls without an offset (read, readv) move the file position: seek only when it is
 * elsewhere. All zero: nobody knows where it is. */
struct position {
	uint64_t bytes;
	uint32_t file;			/* whose position that is, plus 1; 0: none */
};

/* 0 or -errno. */
static inline int32_t position_seek(struct position *p, const struct engine *e,
				    const struct io *io)
{
	if (p->file == io->file + 1u && p->bytes == io->offset)
		return 0;
	p->file = 0;
	return lseek(e->files[io->file].fd, (off_t)io->offset, SEEK_SET) < 0 ? -errno : 0;
}

/* After a call at the offset of an I/O that moved so many bytes, or gave -errno. */
static inline void position_moved(struct position *p, const struct io *io, ssize_t moved)
{
	p->file = moved < 0 ? 0 : io->file + 1u;
	p->bytes = io->offset + (uint64_t)(moved < 0 ? 0 : moved);
}

#endif
