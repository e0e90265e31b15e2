/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_LOG_ROW_H
#define IOGATE_LOG_ROW_H

#include <linux/ioprio.h>
#include <stdbool.h>
#include <stdint.h>

/* A row of fio's logs, whichever form it has in a file. */
struct log_row {
	uint64_t time_ms, value, bytes, offset;
	uint64_t max, issue_ns;		/* log_window_value=both, log_issue_time */
	uint8_t dir;
	uint16_t priority;		/* as ioprio_set(2) has it */
	bool has_max;
};

/* Whether its priority is of the class real time. */
static inline bool log_row_is_high(const struct log_row *row)
{
	return row->priority >> IOPRIO_CLASS_SHIFT == IOPRIO_CLASS_RT;
}

#endif
