/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_TEXT_MAP_H
#define IOGATE_TEXT_MAP_H

#include <stddef.h>

#include "util/arena.h"

/* Values by name, found in the same time however many there are. All zeros is empty; what it
 * holds lives as long as the arena. */
struct text_map {
	struct text_map_entry *entries;
	size_t count, room;
};

/* The value of a name, to read or to set; NULL at first. Good until the next call. The name
 * is not copied. */
void **text_map_at(struct text_map *map, const char *name, struct arena *memory);

/* The value of a name, NULL where there is none: nothing is added. */
void *text_map_get(const struct text_map *map, const char *name);

#endif
