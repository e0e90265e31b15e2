/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_SECTIONS_H
#define IOGATE_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "job/job.h"
#include "jobfile/job_source.h"
#include "util/arena.h"

/* Between jobfile.c, which reads sections, and resolve.c, which makes jobs of them. */

struct place {
	const char *file;		/* NULL: the command line */
	uint32_t line, key_column, value_column;	/* from 1 */
};

struct assignment {
	struct assignment *next;
	const char *key, *value;	/* as written, variables replaced; value NULL: bare */
	struct place place;
};

struct section {
	struct section *next;
	const char *name;
	bool global;
	uint32_t file;			/* 0: the command line; includes count as their file */
	struct place place;
	struct assignment *first, **last;
};

struct chosen {
	struct chosen *next;
	const char *name;
	bool found;
};

struct job_builder {
	struct arena *memory;
	struct job_source source;
	struct section *first, **last, *current;
	struct chosen *chosen;
	unsigned include_depth, includes_count;
	uint32_t file, files_count;	/* file: the one that is read, from 1 */
	size_t text_bytes;		/* of all files so far */
	bool literal;			/* "$" is an error */
	bool only_read;			/* an ioengine that is not here is none */
};

/* err_add with "file:line:column: " before the text. */
__attribute__((format(printf, 4, 5)))
int place_error(struct err *err, const struct place *place,
		uint32_t column, const char *format, ...);

/* Replace ${NAME} by the environment's value and $pagesize, $mb_memory, $ncpus by
 * this machine's. -EINVAL when a variable is not set. */
int variables_expand(const struct job_builder *b, const char *text, const char **expanded,
		     struct err *err);

#endif
