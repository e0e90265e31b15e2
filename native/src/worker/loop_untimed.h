/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_LOOP_UNTIMED_H
#define IOGATE_LOOP_UNTIMED_H

#include "worker/loop_state.h"

/*
 * gtod_reduce: I/Os and bytes are counted, their times are not. The clock is read once a
 * round, so that the job ends when it should.
 */
void loop_run_untimed(struct loop *l);

#endif
