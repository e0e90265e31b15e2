/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_ENGINES_STAT_CALL_H
#define IOGATE_ENGINES_STAT_CALL_H

#include "engines/engine.h"
#include "job/option.h"

/* For ioengines whose I/O is a look at a path: stat_type=. The whole of their options. */
struct stat_options {
	enum { STAT_FOLLOWS, STAT_LINK, STAT_X } call;
};

extern const struct option stat_options[];

/* commit() of both: their state is a struct single_io. */
int stat_commit(struct engine *e);

#endif
