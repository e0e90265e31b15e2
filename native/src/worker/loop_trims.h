/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_LOOP_TRIMS_H
#define IOGATE_LOOP_TRIMS_H

#include "worker/loop_state.h"

/*
 * trim_percentage of a job with verify: some of the blocks that it writes are chosen, and after
 * each trim_backlog writes, with nothing in flight, the oldest of them are trimmed. What was
 * trimmed is looked at as what was written is, and has to be zeros.
 */
void loop_trims_init(struct loop *l);
void loop_trims_release(struct loop *l);
/* It was written, or is about to be. */
void loop_trims_choose(struct loop *l, const struct written_block *block);
/* Nothing more is to be written for now. */
bool loop_trims_due(const struct loop *l);
/* Nothing is in flight: begin to trim, or end; false: nothing is due. */
bool loop_trims_turn(struct loop *l);
/* While trimming: the next block; false: no more this time. And: it is trimmed. */
bool loop_trims_next(const struct loop *l, struct pattern_io *next);
void loop_trims_take(struct loop *l);

#endif
