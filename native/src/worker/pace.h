/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_PACE_H
#define IOGATE_PACE_H

#include "worker/loop_state.h"

/*
 * rate_min and rate_iops_min: what each cycle of rate_cycle has to move, or the job fails. The
 * first two seconds are not looked at, as in fio.
 */
void pace_init(struct loop *l);
void pace_look(struct loop *l, uint64_t now);	/* a cycle is over */

#endif
