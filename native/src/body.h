/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_BODY_H
#define IOGATE_BODY_H

#include <sys/resource.h>

#include "loop.h"

/* The loop with what only setup and the end need. */
struct body {
	struct loop loop;
	struct err err;
	struct rusage usage_begin;
	uint64_t begin_ticks, begin_unix_ms;
	struct log_buffer log, iolog;
	size_t buffers_bytes;
	bool engine_open;
};

void body_init(struct body *b, const struct worker *w);
/* Buffers, slots, pattern, files and engine: 0, or -errno, told as the worker's error.
 * Release also after a failure. */
int body_setup(struct body *b);
void body_release(struct body *b);

#endif
