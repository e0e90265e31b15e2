/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_GIVEN_H
#define IOGATE_GIVEN_H

#include "job/option.h"
#include "jobfile/sections.h"

/* Options that sections gave, each there once: with the last value, at the place of the
 * first. There are never more than options, however many sections there are. */
struct given {
	const struct option *option;
	const struct assignment *last;
	const char *value;		/* as written, or what the bare key means */
};
struct given_list {
	struct given *items;
	size_t count, room;
};

/* Unknown names are left out: whoever reads the option tells of them. */
void given_add(struct given_list *list, const struct section *s, struct arena *memory);
/* NULL: not given. */
const struct assignment *given_last(const struct given_list *list, const struct option *option);
/* What the list and then the section `own` (or NULL) gave, as settings. */
const struct setting *given_settings(const struct given_list *list, const struct section *own,
				     size_t *count, struct arena *memory);

#endif
