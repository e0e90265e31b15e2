/* SPDX-License-Identifier: Apache-2.0 */
#include "logs/log_row.h"

#include <linux/ioprio.h>

bool log_row_is_high(const struct log_row *row)
{
	return row->priority >> IOPRIO_CLASS_SHIFT == IOPRIO_CLASS_RT;
}
