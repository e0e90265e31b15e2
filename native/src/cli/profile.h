/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_PROFILE_H
#define IOGATE_PROFILE_H

#include <stdbool.h>
#include <stdio.h>

#include "jobfile/jobfile.h"
#include "util/err.h"

/* --profile: jobs that stand in no job file, with words of their own behind it. */
struct profile;

/* NULL, with *err, for one that is not here. */
const struct profile *profile_find(const char *name, struct err *err);
/* The job option that a word of it sets, and in *unit what belongs behind its value; NULL for
 * a word that is none of its own. */
const char *profile_option(const struct profile *p, const char *word, const char **unit);
/* What its jobs have in common, before any word; then the jobs, behind all words. 0 or -errno. */
int profile_begin(const struct profile *p, struct job_builder *b, struct err *err);
int profile_jobs(const struct profile *p, struct job_builder *b, struct err *err);
/* --cmdhelp behind --profile. */
void profile_help(FILE *out, const struct profile *p);

#endif
