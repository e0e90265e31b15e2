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

static const char *const usual_format = "$jobname.$jobnum.$filenum";

/* The variable that `at` begins with: how many bytes it has, 0 for none. */
static size_t variable(FILE *out, const char *at, const struct job *job, uint32_t clone,
		       uint32_t file)
{
	if (!strncmp(at, "$jobname", 8))
		return fputs(job->section ? job->section : job->name, out) < 0 ? 0 : 8;
	if (!strncmp(at, "$jobnum", 7))
		return fprintf(out, "%u", clone) < 0 ? 0 : 7;
	if (!strncmp(at, "$filenum", 8))
		return fprintf(out, "%u", file) < 0 ? 0 : 8;
	return strncmp(at, "$clientuid", 10) ? 0 : 10;	/* empty: there is no server */
}

static char *made_name(const struct job *job, uint32_t clone, uint32_t file)
{
	const char *format = job->files.format ? job->files.format : usual_format;
	const size_t end = strlen(format);
	char *name = NULL;
	size_t length;
	FILE *out = open_memstream(&name, &length);

	for (size_t i = 0, known = 0; out && i < end; i += known ? known : 1) {
		known = variable(out, format + i, job, clone, file);
		if (!known)
			fputc(format[i], out);
	}
	if (!out || fclose(out))
		return NULL;
	return name;
}

/* A name that is made is below its directory, also where it begins with a slash. */
static char *below(const char *directory, const char *name)
{
	char *path = NULL;

	if (!directory || !*directory)
		return strdup(name);
	if (asprintf(&path, "%s/%s", directory, name) < 0)
		return NULL;
	return path;
}

/* Several directories are handed out to the clones in turn; what filename= names is in the
 * first one. */
char *target_path(const struct job *job, uint32_t clone, uint32_t file)
{
	char *directory = NULL, *name = NULL, *path = NULL;

	if (job->files.directory)
		directory = namelist_entry(job->files.directory,
					   job->files.names ? 0 : clone %
					   namelist_count(job->files.directory));
	if (job->files.names)
		name = namelist_entry(job->files.names, file);
	else
		name = made_name(job, clone, file);
	if (name && (directory || !job->files.directory))
		path = job->files.names ? join(directory, name) : below(directory, name);
	free(directory);
	free(name);
	return path;
}

char *target_path_named(const struct job *job, const char *name)
{
	char *directory = job->files.directory ? namelist_entry(job->files.directory, 0) : NULL;
	char *path = directory || !job->files.directory ? join(directory, name) : NULL;

	free(directory);
	return path;
}
