/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_VERIFY_H
#define IOGATE_VERIFY_H

#include <stddef.h>

#include "engines/engine.h"

/*
 * verify=crc32c: each unit of a written block (the smallest block size of the job) begins
 * with a header that says where it belongs, which run wrote it, and its checksum.
 */
struct verify {
	uint64_t run;			/* 0 while checking what an earlier run wrote */
	uint32_t unit_bytes;
};

enum { VERIFY_TEXT = 160 };

/* Headers into the buffer of a write. */
void verify_seal(const struct verify *v, const struct io *io);
/* Is what was read what was written there? 0, or -EILSEQ with *text filled in. */
int verify_check(const struct verify *v, const struct io *io, char text[VERIFY_TEXT]);

#endif
