/* SPDX-License-Identifier: Apache-2.0 */
#include "util/namelist.h"

#include <stdlib.h>
#include <string.h>

/* Where the entry that begins here ends. */
static const char *end_of(const char *entry)
{
	while (*entry && *entry != ':')
		entry += *entry == '\\' && entry[1] ? 2 : 1;
	return entry;
}

/* The next entry from here on that has a name; NULL: there is none. */
static const char *next_entry(const char *at)
{
	at += strspn(at, ":");
	return *at ? at : NULL;
}

uint32_t namelist_count(const char *list)
{
	uint32_t count = 0;

	for (const char *e = next_entry(list); e; e = next_entry(end_of(e)))
		count++;
	return count;
}

char *namelist_entry(const char *list, uint32_t index)
{
	const char *from = next_entry(list);
	char *entry = malloc(strlen(list) + 1), *out = entry;

	for (; from && index; index--)
		from = next_entry(end_of(from));
	if (!entry)
		return NULL;
	for (const char *c = from, *end = c ? end_of(c) : c; c < end; c++) {
		c += *c == '\\' && c[1] == ':';
		*out++ = *c;
	}
	*out = '\0';
	return entry;
}
