/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/given.h"

#include <string.h>

#include "jobfile/options.h"

enum { ROOM_AT_FIRST = 16 };

static const char *value_of(const struct assignment *a, const struct option *o,
			    struct arena *memory)
{
	const char *bare = o->type->bare ? o->type->bare : "1";
	const char *value = a->value ? a->value : bare;

	return arena_text(memory, value, strlen(value));
}

static const char *name_of(const struct assignment *a, const struct option *o)
{
	return o->keeps_alias && !strcmp(a->key, o->alias) ? o->alias : o->name;
}

static struct given *find(const struct given_list *list, const struct option *option)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].option == option)
			return &list->items[i];
	return NULL;
}

static struct given *append(struct given_list *list, struct arena *memory)
{
	struct given *items;

	if (list->count == list->room) {
		list->room = list->room ? list->room * 2 : ROOM_AT_FIRST;
		items = arena_alloc(memory, list->room * sizeof(*items));
		if (list->count)
			memcpy(items, list->items, list->count * sizeof(*items));
		list->items = items;
	}
	return &list->items[list->count++];
}

void given_add(struct given_list *list, const struct section *s, struct arena *memory)
{
	for (const struct assignment *a = s->first; a; a = a->next) {
		const struct option *o = options_find_any(a->key);
		struct given *given = o ? find(list, o) : NULL;

		if (!o)
			continue;
		given = given ? given : append(list, memory);
		*given = (struct given){ o, a, value_of(a, o, memory) };
	}
}

const struct assignment *given_last(const struct given_list *list, const struct option *option)
{
	const struct given *given = find(list, option);

	return given ? given->last : NULL;
}

static size_t section_length(const struct section *s)
{
	size_t n = 0;

	for (const struct assignment *a = s ? s->first : NULL; a; a = a->next)
		n++;
	return n;
}

/* One more setting, or another value of one that is there; how many there are then. */
static size_t put(struct setting *settings, size_t count, const char *key, const char *value)
{
	size_t i = 0;

	while (i < count && settings[i].key != key)	/* each name is at one place */
		i++;
	settings[i] = (struct setting){ key, value };
	return i == count ? count + 1 : count;
}

const struct setting *given_settings(const struct given_list *list, const struct section *own,
				     size_t *count, struct arena *memory)
{
	const size_t most = list->count + section_length(own);
	struct setting *settings = arena_alloc(memory, (most + 1) * sizeof(*settings));

	*count = list->count;
	for (size_t i = 0; i < list->count; i++)
		settings[i] = (struct setting){ name_of(list->items[i].last,
							list->items[i].option),
						list->items[i].value };
	for (const struct assignment *a = own ? own->first : NULL; a; a = a->next) {
		const struct option *o = options_find_any(a->key);

		if (o)
			*count = put(settings, *count, name_of(a, o),
				     value_of(a, o, memory));
	}
	return settings;
}
