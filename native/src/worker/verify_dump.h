/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_VERIFY_DUMP_H
#define IOGATE_VERIFY_DUMP_H

#include "verify/verify.h"

/*
 * verify_dump: the damaged unit of a block goes to NAME.OFFSET.received in the working directory,
 * NAME being the last part of `path`, and what should be there to NAME.OFFSET.expected, if
 * that is known. What has become of it is appended to fault->text, as far as it has room.
 */
void verify_dump(const struct verify *v, const struct verify_block *b, struct verify_fault *fault,
		 const char *path);

#endif
