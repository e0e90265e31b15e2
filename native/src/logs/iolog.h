/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_IOLOG_H
#define IOGATE_IOLOG_H

#include "logs/log_buffer.h"
#include "target/target.h"
#include "util/err.h"

/* Record I/O for a later replay (write_iolog), as "fio version 3 iolog". */

/* Make the file, empty: 0 or -errno. */
int iolog_create(const struct job *job, struct err *err);
/* All I/O that one clone issued, in order; times count from start_ticks. 0 or -errno. */
int iolog_write(const struct job *job, const struct target *t, const struct log_buffer *b,
		uint64_t start_ticks, struct err *err);

#endif
