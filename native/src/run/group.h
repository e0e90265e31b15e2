/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_GROUP_H
#define IOGATE_GROUP_H

#include "run/run_state.h"

/* The workers that run at the same time: those between two stonewalls. */
struct span {
	uint32_t first, end;		/* members of one group */
};

/* Let them go when all are ready. */
void group_release(struct run *r, struct span g);
/* Look at them until the last one has ended. */
void group_watch(struct run *r, struct span g);

#endif
