/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_LOOP_GENERAL_H
#define IOGATE_LOOP_GENERAL_H

#include "worker/loop_state.h"

/*
 * The loop of jobs that do more than I/O after I/O: it looks at each one. When the next
 * one may not begin yet (a rate), it waits for completions until then, so that these are
 * timed when they come. A sync is an I/O like others, in its turn, with statistics of
 * its own; one that is due after the last write is left to end_fsync.
 */
void loop_run_general(struct loop *l);

#endif
