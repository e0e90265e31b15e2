/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_PROGRESS_H
#define IOGATE_PROGRESS_H

#include "run/workers.h"

/* How far a run is: the part of its work that is done, and how long the rest takes. */
struct progress {
	double fraction;		/* 0 .. 1 */
	uint64_t left_ns;		/* 0 where nothing is known yet */
};

/* While members first .. end-1 run, which are one group. */
struct progress progress_of(const struct workers *workers, uint32_t first, uint32_t end,
			    uint64_t now_ns);

#endif
