/* SPDX-License-Identifier: Apache-2.0 */
#include "util/namelist.h"

#include <stdlib.h>
#include <string.h>

uint32_t namelist_count(const char *list)
{
	uint32_t count = 1;

	for (const char *c = list; *c; c++) {
		if (*c == '\\' && c[1])
			c++;
		else if (*c == ':')
			count++;
	}
	return count;
}

char *namelist_entry(const char *list, uint32_t index)
{
	char *entry = malloc(strlen(list) + 1), *out = entry;

	if (!entry)
		return NULL;
	for (const char *c = list; *c; c++) {
		if (*c == '\\' && c[1] == ':')
			c++;
		else if (*c == ':' && !index--)
			break;
		else if (*c == ':')
			continue;
		if (!index)
			*out++ = *c;
	}
	*out = '\0';
	return entry;
}
