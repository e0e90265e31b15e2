/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_TRACE_READER_H
#define IOGATE_TRACE_READER_H

#include "pattern/trace_ios.h"
#include "pattern/trace_words.h"
#include "util/err.h"
#include "util/text_map.h"

/* What the readers of a log share, whatever its form: trace.c of text, blktrace.c of traces of
 * blktrace. */

enum { TRACE_LENGTH_MAX = 1 << 30 };	/* bytes of one I/O */
#define TRACE_TIME_MAX_NS (UINT64_MAX / 2000 * 1000)	/* two of them do not wrap */

struct trace_reader {
	struct trace *trace;
	const struct job *job;
	const char *name;
	unsigned version, line;		/* of a binary trace the line is a record */
	uint32_t last_file;		/* most lines are about the file of the one before */
	struct text_map files;		/* by path: the index, plus one */
	uint64_t now_ns;		/* of the trace, before scaling */
	struct trace_words words;		/* of the line: name, action, offset, length */
	struct err *err;
};

/* All of these: -errno with a text in *r->err. */
__attribute__((format(printf, 2, 3)))
int trace_line_error(const struct trace_reader *r, const char *format, ...);
int trace_find_file(struct trace_reader *r, const struct word *name);	/* its index, or -1 */
int trace_add_file(struct trace_reader *r, const struct word *name);	/* its index */
int trace_add_io(struct trace_reader *r, struct trace_io io);	/* at now_ns */
/* A read, write or trim: replay_scale and replay_align are applied. */
int trace_add_transfer(struct trace_reader *r, struct trace_io io, uint64_t length);

#endif
