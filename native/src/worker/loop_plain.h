/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_LOOP_PLAIN_H
#define IOGATE_LOOP_PLAIN_H

#include "worker/loop_state.h"

/*
 * The plain loops. Asynchronous: fill what is free, batch by batch, wait for one, count
 * what came; the clock is read once a batch handed over and once a reap. One at a time:
 * the same with one slot, for depth 1 and for engines that know no other. Neither asks
 * what kind of engine or pattern it drives.
 */
void loop_run_plain(struct loop *l);

#endif
