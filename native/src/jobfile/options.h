/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_OPTIONS_H
#define IOGATE_OPTIONS_H

#include "job/option.h"
#include "util/arena.h"
#include "util/err.h"

/* The tables of options (job/option.h), and how a row sets its field from text. */
extern const struct option options_all[];		/* sorted by name, NULL-ended */
extern const char *const option_category_names[CATEGORIES];
extern const char *const option_type_names[OPTION_TYPES];

/* By name or alias; NULL when there is none. */
const struct option *option_find(const struct option *table, const char *key);
/* Among the options of every engine. */
const struct option *option_find_engine(const char *key);
/* The known key closest to a wrong one, or NULL. */
const char *option_suggest(const char *key);
/* Set the option's field in *structure from text; value NULL is a bare key.
 * 0 or -EINVAL, the message starting with the option's name. */
int option_parse(const struct option *o, const char *value, void *structure,
		 struct arena *memory, struct err *err);
/* Set every field of a table to its default. */
void option_defaults(const struct option *table, void *structure, struct arena *memory);

#endif
