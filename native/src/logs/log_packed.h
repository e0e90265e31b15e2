/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_LOG_PACKED_H
#define IOGATE_LOG_PACKED_H

#include <stddef.h>

#include "logs/log_row.h"

/*
 * Rows as compressed logs have them, little-endian: time, value (8 bytes each), direction and
 * two flags (4), priority (4), size of the I/O (8), and with the first flag its offset (8).
 */
enum { PACKED_ROW_MIN = 32, PACKED_ROW_MAX = 40 };

struct packed_row {
	struct log_row row;
	bool has_offset;
	bool has_priority;	/* log_prio: it is told as it is, not as high or not */
};

/* Its bytes, at most PACKED_ROW_MAX; how many. */
size_t log_packed_put(const struct packed_row *p, uint8_t *at);
/* A row of the first bytes of `size`: how many it took, 0 when it has more than these. */
size_t log_packed_take(struct packed_row *p, const uint8_t *at, size_t size);

#endif
