/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_PATTERN_DRAWN_H
#define IOGATE_PATTERN_DRAWN_H

#include "pattern/pattern_state.h"

/*
 * I/Os that are drawn one by one, without a map: of several sizes, with an alignment of their
 * own, or of a distribution that prefers some blocks. They may fall on a block again, and no pass
 * over the file ends.
 */

/* How long the next I/O in this direction is. */
uint32_t pattern_drawn_length(struct pattern *p, uint8_t dir);
/* Another length where the file is too small for this one. */
void pattern_drawn_fit(struct pattern *p, const struct pattern_cursor *c, struct pattern_io *io);
/* Where it begins: a multiple of the alignment from which length bytes fit into the window. */
uint64_t pattern_drawn_start(struct pattern *p, struct pattern_cursor *c, uint8_t dir,
			     uint32_t length);

/* The loop for such a pattern of a single file, without zones, whose sizes are no range. */
pattern_filler *pattern_drawn(const struct pattern *p);

#endif
