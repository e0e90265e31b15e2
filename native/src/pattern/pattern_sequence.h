/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_PATTERN_SEQUENCE_H
#define IOGATE_PATTERN_SEQUENCE_H

#include "pattern/pattern_cursor.h"

/*
 * rw=write:4k and rw=randread:8. A number behind a sequential rw is a gap of so many bytes
 * after each block; below zero it goes back. Past either end it begins at the other one, and
 * a block that ends exactly there ends the pass. Behind a random rw it is how many blocks
 * follow each other, or with rw_sequencer=identical how often one comes, from each random
 * place; percentage_random says instead how many I/Os in a hundred go to a random place, and
 * with none the job begins at the start and goes round. Each direction has a position of its
 * own; the blocks of all are counted together.
 */
void pattern_sequence_init(struct pattern *p, const struct job *job);
/* Where the I/O goes, as pattern_cursor_take(). */
bool pattern_sequence_take(struct pattern *p, struct pattern_cursor *c, struct pattern_io *io);

#endif
