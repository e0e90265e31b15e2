/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/check.h"

#include <string.h>

#include "jobfile/options.h"

static const struct assignment *last_in(const struct section *s, const struct option *o)
{
	const struct assignment *found = NULL;

	for (const struct assignment *a = s->first; a; a = a->next)
		if (options_find(a->key) == o)
			found = a;
	return found;
}

const struct assignment *check_origin(const struct check *c, const char *name)
{
	const struct option *o = options_find(name);
	const struct assignment *found = last_in(c->own, o);

	found = found ? found : given_last(&c->earlier->globals, o);
	return found ? found : given_last(&c->earlier->defaults, o);
}

int check_refuse(const struct check *c, const char *option, const char *why)
{
	const struct assignment *a = check_origin(c, option);
	const struct place *place = a ? &a->place : &c->own->place;
	const uint32_t column = a ? place->key_column : c->own->place.key_column;

	return place_error(c->err, place, column, "job '%.80s': %s", c->job->name, why);
}

void check_note(const struct check *c, const char *text)
{
	const char **warnings;
	const size_t n = c->list->warnings_count;

	if (!(n & (n + 1))) {	/* full: capacities are 1, 3, 7, 15, ... */
		warnings = arena_alloc(c->memory, (2 * n + 1) * sizeof(*warnings));
		if (n)
			memcpy(warnings, c->list->warnings, n * sizeof(*warnings));
		c->list->warnings = warnings;
	}
	warnings = (const char **)(uintptr_t)c->list->warnings;
	warnings[n] = arena_format(c->memory, "job '%s': %s", c->job->name, text);
	c->list->warnings_count++;
}

void check_warn(const struct check *c, const char *text)
{
	check_note(c, text);
	if (!c->list->fatal_warning)
		c->list->fatal_warning = c->list->warnings[c->list->warnings_count - 1];
}
