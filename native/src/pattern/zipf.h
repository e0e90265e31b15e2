/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_ZIPF_H
#define IOGATE_ZIPF_H

#include "util/random.h"

/*
 * Ranks 0 .. count-1 where rank k comes up in proportion to 1 / (k+1)^theta, exactly and
 * without a table: rejection-inversion after W. Hoermann and G. Derflinger (1996).
 */
struct zipf {
	uint64_t count;
	double theta, from, to, sure;	/* of the integral; sure: accepted without a look */
};

void zipf_init(struct zipf *z, uint64_t count, double theta);
uint64_t zipf_draw(const struct zipf *z, struct random *r);

#endif
