/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_LATENCY_TARGET_H
#define IOGATE_LATENCY_TARGET_H

#include "worker/loop_state.h"

/*
 * latency_target: windows at different depths, the largest first, then halfway between one
 * that was met and one that was not. At the largest that is met the job ends, or with
 * latency_run goes on; when not even a single one at a time meets it, the job fails.
 */
void latency_target_init(struct loop *l);
/* An I/O took so long, from its start. */
void latency_target_count(struct loop *l, uint64_t lat_ns);
/* A window is over: true when the job is to end here. */
bool latency_target_look(struct loop *l, uint64_t now);

#endif
