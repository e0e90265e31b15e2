/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_PAUSES_H
#define IOGATE_PAUSES_H

#include "worker/loop_state.h"

enum { PAUSE_SPIN_NS = 50000 };	/* the last bit of a sleep, which may end late by it */

/* Wait for that moment, in ticks, unless the run or its time ends before; the time then. */
uint64_t pause_until(struct loop *l, uint64_t due);

/* thinktime: when the next pause is, and the pause, at whose end that is said anew. */
void pause_later(struct loop *l, uint64_t now);
uint64_t pause_think(struct loop *l);

/* When a job that is past its share of a flow looks again. */
uint64_t pause_of_flow(const struct loop *l, uint64_t now);

#endif
