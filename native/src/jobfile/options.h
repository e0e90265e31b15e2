/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_OPTIONS_H
#define IOGATE_OPTIONS_H

#include "job/job.h"
#include "job/option.h"
#include "util/arena.h"

/*
 * The options of every job, by category: each has its file, options_*.c, with a table of
 * rows (job/option.h) sorted by name. A new option is one row there and a field of struct
 * job; a new category one file more, and its name in the registry of options.c.
 */
extern const struct option_category *const option_categories[];	/* NULL-ended */

/* Of all categories, sorted by name, NULL-ended. */
const struct option *const *options_sorted(void);

/* By name or alias; NULL when there is none. */
const struct option *options_find(const char *key);
/* Among the options of every engine. */
const struct option *options_find_engine(const char *key);
/* Among both. */
const struct option *options_find_any(const char *key);
/* The known key closest to a wrong one, or NULL. */
const char *option_suggest(const char *key);

/* A job with the default of every option. */
void options_defaults(struct job *job, struct arena *memory);

#endif
