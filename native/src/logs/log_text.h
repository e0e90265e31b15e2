/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_LOG_TEXT_H
#define IOGATE_LOG_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "job/job.h"
#include "util/err.h"

/* A file that grows by whole lines, or by packed rows: several jobs may add to the same one. */
struct log_text {
	const char *path;
	char *text;			/* not written yet */
	size_t used, capacity;
	size_t packed_bytes;		/* rows are packed, as many together; 0: they are lines */
	int error;			/* positive errno of the first failure; 0 */
};

void log_text_init(struct log_text *t, const char *path);
/* What follows are packed rows: about so many bytes become a zlib stream of their own. */
void log_text_pack(struct log_text *t, uint64_t bytes);
void log_text_packed_row(struct log_text *t, const uint8_t *row, size_t length);
void log_text_number(struct log_text *t, uint64_t value);
void log_text_word(struct log_text *t, const char *word);
void log_text_line_end(struct log_text *t);	/* writes now and then */
/* A line of at least one number, with commas between them. */
void log_text_row(struct log_text *t, const uint64_t *values, uint32_t count);
/* Write what is there, and free: 0 or a positive errno. */
int log_text_finish(struct log_text *t);
/* "cannot write the log '...'" into *err, of a positive errno: -errno. */
int log_text_error(const struct job *job, const char *path, int error, struct err *err);

/* Make the file, empty: 0 or a positive errno; EEXIST for what is no regular file. */
int log_text_create(const char *path);

#endif
