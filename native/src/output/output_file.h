/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_OUTPUT_FILE_H
#define IOGATE_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "util/err.h"

/* Where results go: stdout, or a file that appears only when it is complete. */
struct output_file {
	FILE *stream;
	const char *path;		/* NULL: stdout */
	char *temporary;		/* renamed to path in the end; NULL: written in place */
	bool kept;			/* path was there: its contents change in the end */
	int fd;				/* of path, while it is kept */
	char *text;			/* what the stream holds until then */
	size_t length;
};

/* path NULL: stdout. A path that exists and is no regular file (a pipe, a terminal) is written
 * in place, as is one that grows while others read it. A regular file that exists stays that
 * file, which who made it may hold open: it is filled in the end. */
int output_file_open(struct output_file *s, const char *path, bool grows, struct err *err);
/* Make the file appear. */
int output_file_finish(struct output_file *s, struct err *err);
/* Leave nothing behind; after output_file_finish it does nothing. */
void output_file_discard(struct output_file *s);

#endif
