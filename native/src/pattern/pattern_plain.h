/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_PATTERN_PLAIN_H
#define IOGATE_PATTERN_PLAIN_H

#include "pattern/pattern_state.h"

/* The loop for this pattern, which is of a single file, without zones, of one block size. */
pattern_filler *pattern_plain(const struct pattern *p);

#endif
