/* SPDX-License-Identifier: Apache-2.0 */
#include "util/text_map.h"

#include <stdint.h>
#include <string.h>

enum { ROOM_AT_FIRST = 64 };

struct text_map_entry {
	const char *name;		/* NULL: free */
	void *value;
};

/* FNV-1a */
static uint64_t hash(const char *name)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return h;
}

/* The entry of a name, or the free one where it belongs. */
static struct text_map_entry *find(const struct text_map *map, const char *name)
{
	size_t at = (size_t)hash(name) & (map->room - 1);

	while (map->entries[at].name && strcmp(map->entries[at].name, name))
		at = (at + 1) & (map->room - 1);
	return &map->entries[at];
}

static void grow(struct text_map *map, struct arena *memory)
{
	const struct text_map old = *map;

	map->room = old.room ? old.room * 2 : ROOM_AT_FIRST;
	map->entries = arena_alloc(memory, map->room * sizeof(*map->entries));
	for (size_t i = 0; i < old.room; i++)
		if (old.entries[i].name)
			*find(map, old.entries[i].name) = old.entries[i];
}

void **text_map_at(struct text_map *map, const char *name, struct arena *memory)
{
	struct text_map_entry *entry;

	if (map->count * 2 >= map->room)
		grow(map, memory);
	entry = find(map, name);
	if (!entry->name) {
		entry->name = name;
		map->count++;
	}
	return &entry->value;
}

void *text_map_get(const struct text_map *map, const char *name)
{
	return map->count ? find(map, name)->value : NULL;
}
