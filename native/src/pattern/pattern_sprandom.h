/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_PATTERN_SPRANDOM_H
#define IOGATE_PATTERN_SPRANDOM_H

#include "pattern/pattern_state.h"
#include "util/err.h"

/*
 * sprandom: a flash device as it is after random writes without end, by one pass that writes as
 * much as the device has flash: its capacity and its over-provisioning.
 *
 * The pass is divided into regions of equal length. Each block of the file comes once, in random
 * order; of the blocks of a region some come again in the next one, which leaves what they were
 * invalid. Of flash that was written last, all is valid; of older flash the less, the older it is:
 * a random overwrite hits each block as likely as any other, so that of what was written a share x
 * of the pass before its end exp(-k x) is still valid. k is where the mean of that is what the
 * device may hold of its flash, 1 / (1 + over-provisioning).
 */

/* Blocks that a pass writes where the file has as many. */
uint64_t pattern_sprandom_blocks(const struct sprandom *s, uint64_t blocks);

/* Memory of two regions. 0, or -errno with *err. */
int pattern_sprandom_init(struct pattern *p, const struct job *job, uint64_t seed,
			  struct err *err);
void pattern_sprandom_release(struct pattern *p);

uint32_t pattern_sprandom_fill(struct pattern *p, struct pattern_io *out, uint32_t n);

#endif
