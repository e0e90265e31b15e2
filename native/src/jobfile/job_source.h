/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_JOB_SOURCE_H
#define IOGATE_JOB_SOURCE_H

#include <stddef.h>

#include "util/err.h"

/* What a job file may ask of the world outside; a NULL function answers nothing. */
struct job_source {
	/* The text of `path`, as named by an include line of the file `from`, to be
	 * freed by the builder; NULL with *err set. */
	char *(*include)(void *context, const char *path, const char *from,
			 size_t *length, struct err *err);
	/* The value of ${name}, or NULL. */
	const char *(*environment)(void *context, const char *name);
	void *context;
};

#endif
