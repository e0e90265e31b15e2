/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_DEBUG_H
#define IOGATE_DEBUG_H

#include <stdio.h>

#include "job/job.h"

/* What --debug may name. Of most there is nothing to tell here: the loops that do I/O keep no
 * trace of what they do, so that they are as fast as they are. */
enum { DEBUG_PARSE = 1, DEBUG_JOB = 2 };

struct debug_type {
	const char *name;
	unsigned bit;			/* 0: accepted, and tells nothing */
};
extern const struct debug_type debug_types[];	/* NULL-ended */

/* The bits of a list "parse,job", or of "all". unknown: the first name that is none; NULL. */
unsigned debug_bits(const char *list, const char **unknown);
void debug_list(FILE *out);			/* --debug=help */
void debug_jobs(FILE *out, unsigned bits, const struct job_list *jobs);

#endif
