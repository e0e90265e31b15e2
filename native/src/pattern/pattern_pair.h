/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_PATTERN_PAIR_H
#define IOGATE_PATTERN_PAIR_H

#include "pattern/pattern_state.h"

/*
 * rw=trimwrite: the cursors say which block comes next, as of a job that only writes, and
 * each becomes its trims and then its writes. One of both sizes has to be a multiple of the
 * other (jobfile/resolve_checks.c): the larger one is the block.
 */
void pattern_pair_init(struct pattern *p, const struct job *job);

static inline bool pattern_pair_is_done(const struct pattern_pair *pair)
{
	return pair->done_bytes == 2 * (uint64_t)pair->block.length;
}

/* Up to n I/Os of the block at hand, which is not done; how many. */
uint32_t pattern_pair_fill(struct pattern_pair *pair, struct pattern_io *out, uint32_t n);

#endif
