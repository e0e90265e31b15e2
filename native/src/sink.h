/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_SINK_H
#define IOGATE_SINK_H

#include <stdio.h>

#include "err.h"

/* Where results go: stdout, or a file that appears only when it is complete. */
struct sink {
	FILE *stream;
	const char *path;		/* NULL: stdout */
	char *temporary;		/* renamed to path in the end; NULL: written in place */
};

/* path NULL: stdout. A path that exists and is no regular file (a pipe, a terminal) is
 * written in place. */
int sink_open(struct sink *s, const char *path, struct err *err);
/* Make the file appear. */
int sink_finish(struct sink *s, struct err *err);
/* Leave nothing behind; after sink_finish it does nothing. */
void sink_discard(struct sink *s);

#endif
