/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_PATTERN_TURN_H
#define IOGATE_PATTERN_TURN_H

#include "pattern/pattern_state.h"

/* The file and the offset of an I/O whose direction and length stand; false: the pass is over. */
bool pattern_turn(struct pattern *p, struct pattern_io *io);

#endif
