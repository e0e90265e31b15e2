/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target/target.h"
#include "util/namelist.h"

uint32_t target_files_count(const struct job *job)
{
	if (job->filename)
		return namelist_count(job->filename);
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
		directory = namelist_entry(job->directory, clone % namelist_count(job->directory));
	if (job->filename)
		name = namelist_entry(job->filename, file);
	else if (asprintf(&name, "%s.%u.%u", job->name, clone, file) < 0)
		name = NULL;
	if (name && (directory || !job->directory))
		path = join(directory, name);
	free(directory);
	free(name);
	return path;
}
