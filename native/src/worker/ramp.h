/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_RAMP_H
#define IOGATE_RAMP_H

#include "worker/loop_state.h"

/* What a job moves before anything counts (ramp_size), in bytes; 0: nothing. */
uint64_t ramp_bytes(const struct loop *l);
/* Once that much is moved, the next look at the time ends the ramp. */
void ramp_look(struct loop *l, uint64_t now);

#endif
