/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_CHECK_H
#define IOGATE_CHECK_H

#include "jobfile/given.h"
#include "jobfile/sections.h"
#include "util/text_map.h"

/* What the sections before a job's have said. */
struct earlier {
	struct given_list defaults;	/* of global sections before the first job */
	struct given_list globals;	/* of those after it, so far */
	struct text_map recorders;	/* file of write_iolog to the job that has it */
};

/* One job with all of its options, for those who look at it. */
struct check {
	struct earlier *earlier;
	const struct section *own;
	struct job *job;
	struct job_list *list;
	struct arena *memory;
	struct err *err;
};

/* Where the job got an option from: its own section, or the last global one before; or NULL. */
const struct assignment *check_origin(const struct check *c, const char *name);
/* An error at the place of the option, or of the job's section; returns its code. */
int check_refuse(const struct check *c, const char *option, const char *why);
/* What is worth saying, as that an engine takes less than is asked for. */
void check_note(const struct check *c, const char *text);
/* What --warnings-fatal refuses: it does nothing as the job stands. */
void check_warn(const struct check *c, const char *text);

/* Which I/O comes next: zones, sizes, trims before writes, sprandom. */
int check_pattern(const struct check *c);

#endif
