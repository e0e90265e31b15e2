/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

/* Lists are separated by ':'; `\:` is a colon of the name itself. */
static uint32_t list_count(const char *list)
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

/* Entry `index` of a list, unescaped and malloced. */
static char *list_entry(const char *list, uint32_t index)
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

uint32_t target_files_count(const struct job *job)
{
	if (job->filename)
		return list_count(job->filename);
	return job->nrfiles ? job->nrfiles : 1;
}

static char *join(const char *directory, const char *name)
{
	const bool bare = !directory || !*directory || name[0] == '/';
	char *path = NULL;

	if (asprintf(&path, "%s%s%s", bare ? "" : directory, bare ? "" : "/", name) < 0)
		return NULL;
	return path;
}

/* Several directories are handed out to the clones in turn. */
char *target_path(const struct job *job, uint32_t clone, uint32_t file)
{
	char *directory = NULL, *name = NULL, *path = NULL;

	if (job->directory)
		directory = list_entry(job->directory, clone % list_count(job->directory));
	if (job->filename)
		name = list_entry(job->filename, file);
	else if (asprintf(&name, "%s.%u.%u", job->name, clone, file) < 0)
		name = NULL;
	if (name && (directory || !job->directory))
		path = join(directory, name);
	free(directory);
	free(name);
	return path;
}
