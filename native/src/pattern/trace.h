/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_TRACE_H
#define IOGATE_TRACE_H

#include "pattern/trace_ios.h"
#include "util/err.h"

/* Pure; `name` is used in messages. job: its replay_ options. 0 or -EINVAL; release also
 * after a failure. */
int trace_parse(struct trace *t, const struct job *job, const char *name, const char *text,
		size_t length, struct err *err);
/* The same with the text of a file. */
int trace_load(struct trace *t, const struct job *job, const char *path, struct err *err);
void trace_release(struct trace *t);

#endif
