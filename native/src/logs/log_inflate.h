/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_LOG_INFLATE_H
#define IOGATE_LOG_INFLATE_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/* --inflate-log: the lines of a compressed log, with a newline each. What it holds is of
 * whoever wrote it: memory stays the same however long a log is, packed or not. */
typedef void log_line_fn(void *context, const char *line, size_t length);

struct log_inflater;

/* NULL: no memory. */
struct log_inflater *log_inflater_new(log_line_fn *line, void *context);
void log_inflater_free(struct log_inflater *i);
/* The next bytes of the file. 0, or -errno for what is no compressed log. */
int log_inflater_take(struct log_inflater *i, const uint8_t *bytes, size_t size,
		      struct err *err);
/* There are no more. 0, or -errno when some are missing. */
int log_inflater_end(const struct log_inflater *i, struct err *err);

/* The whole of a file. 0 or -errno. */
int log_inflate_file(const char *path, log_line_fn *line, void *context, struct err *err);

#endif
