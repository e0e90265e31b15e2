/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_PATTERN_CURSOR_H
#define IOGATE_PATTERN_CURSOR_H

#include "pattern/pattern_state.h"

void pattern_cursor_rewind(struct pattern *p, struct pattern_cursor *c);
/* Where the I/O goes, whose direction and length stand; false: this file has no more. */
bool pattern_cursor_take(struct pattern *p, struct pattern_cursor *c, struct pattern_io *io);
/* A random place for it in a job without zones, from the start of the extent. */
bool pattern_cursor_place(struct pattern *p, struct pattern_cursor *c,
			  const struct pattern_io *io, uint64_t *start);
/* All files from their beginning. */
void pattern_pass_begin(struct pattern *p);

static inline uint64_t pattern_block_max(const struct pattern *p)
{
	return p->bs_bytes[DIR_READ] > p->bs_bytes[DIR_WRITE] ? p->bs_bytes[DIR_READ]
							      : p->bs_bytes[DIR_WRITE];
}

#endif
