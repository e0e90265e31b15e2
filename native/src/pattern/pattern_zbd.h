/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_PATTERN_ZBD_H
#define IOGATE_PATTERN_ZBD_H

#include "pattern/pattern_state.h"
#include "util/err.h"

struct pattern_cursor;

/*
 * zonemode=zbd of what has no zones of its own: each zonesize bytes of a file are a zone, empty at
 * first. It is written from its beginning to its end, by random writes, too, and emptied when it
 * is full and written again. Reads stay in what was written, unless read_beyond_wp. Each clone has
 * zones of its own.
 */

void pattern_zbd_init(struct pattern *p, const struct job *job, uint64_t seed);
/* The whole zones of the cursor's extent, which has one (pattern_fit.h): 0 or -ENOMEM. */
int pattern_zbd_fit(struct pattern_cursor *c, const struct job *job, struct err *err);
void pattern_zbd_release(struct pattern_cursor *c);

/* As pattern_cursor_take: the direction of a mixed job's read becomes that of a write while
 * nothing is written, and a length may be cut to what is left of a zone. */
bool pattern_zbd_take(struct pattern *p, struct pattern_cursor *c, struct pattern_io *io);

#endif
