/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_PATTERN_MAP_H
#define IOGATE_PATTERN_MAP_H

#include "pattern/pattern_state.h"
#include "util/err.h"

/*
 * What of a file random I/O has still to touch, where its blocks have several sizes: a bit for
 * each of the smallest. A block begins at a random one, or the first behind it that is left, and
 * ends before the next that is not: all of them come once a pass, and small blocks more often
 * than they are drawn. Blocks of one size need no map, as their order alone visits each once.
 */

/* Whether the job has such a map, or an order without, and of what size its units are. */
void pattern_map_choose(struct pattern *p, const struct job *job);
/* After the cursors have their extents; -ENOMEM unless softrandommap goes on without. */
int pattern_map_init(struct pattern *p, const struct job *job, struct err *err);
void pattern_map_release(struct pattern *p);
/* Nothing of the window is touched yet. `next` is still that of the pass before. */
void pattern_map_begin(struct pattern *p, struct pattern_cursor *c);
/* Where the I/O goes, from the start of the window; it may become shorter. false: none is left. */
bool pattern_map_take(struct pattern *p, struct pattern_cursor *c, struct pattern_io *io,
		      uint64_t *start);

#endif
