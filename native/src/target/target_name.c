/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target/target.h"
#include "util/namelist.h"

uint32_t target_files_count(const struct job *job)
{
	if (job->files.names)
		return namelist_count(job->files.names);
	return job->files.count ? job->files.count : 1;
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

	if (job->files.directory)
		directory = namelist_entry(job->files.directory,
					   clone % namelist_count(job->files.directory));
	if (job->files.names)
		name = namelist_entry(job->files.names, file);
	else if (asprintf(&name, "%s.%u.%u", job->name, clone, file) < 0)
		name = NULL;
	if (name && (directory || !job->files.directory))
		path = join(directory, name);
	free(directory);
	free(name);
	return path;
}
