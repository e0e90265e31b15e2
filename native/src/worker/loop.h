/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_LOOP_H
#define IOGATE_LOOP_H

#include "worker/loop_state.h"

/* Run until the pattern, the clock, an error or the parent ends it; then wait for
 * what is in flight. Picks the loop that the job needs. */
void loop_run(struct loop *l);

#endif
