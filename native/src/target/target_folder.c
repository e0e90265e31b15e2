/* SPDX-License-Identifier: Apache-2.0 */
#include "target/target_folder.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engines/engine.h"

/* A mistyped device must not become a file in /dev that fills the memory. */
static bool is_dev(const struct stat *folder)
{
	struct stat dev;

	return !stat("/dev", &dev) && folder->st_dev == dev.st_dev;
}

/* Those of names that are made: of filename_format, or of the job's own name in it. */
static bool makes_folders(const struct target *t)
{
	const struct job *job = t->job;
	const char *parts[] = { job->files.format, job->section ? job->section : job->name };

	return !job->files.names &&
	       ((parts[0] && strchr(parts[0], '/')) || strchr(parts[1], '/'));
}

/* The nearest one that is there, in place of `folder`. */
static int stat_above(char *folder, struct stat *st)
{
	int ret = stat(folder, st);

	while (ret && errno == ENOENT && strcmp(folder, ".") && strcmp(folder, "/")) {
		folder = dirname(folder);
		ret = stat(folder, st);
	}
	return ret;
}

static int check(const struct target *t, char *folder, struct target_file *f, struct err *err)
{
	const char *name = t->job->name;
	struct stat st;

	if (makes_folders(t) ? stat_above(folder, &st) : stat(folder, &st))
		return err_set(err, -errno, "%s: directory '%s' %s: create it, or name another "
			       "with directory=", name, folder,
			       errno == ENOENT ? "does not exist" : strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return err_set(err, -ENOTDIR, "%s: '%s' is not a directory: name one with "
			       "directory=", name, folder);
	if (is_dev(&st))
		return err_refuse(err, -ENODEV, "%s: there is no device '%s', and none can be "
				  "made by writing a file there: see lsblk", name, f->path);
	f->device = st.st_dev;
	return 0;
}

int target_folder_check(const struct target *t, struct target_file *f, struct err *err)
{
	char *copy = strdup(f->path);
	int ret;

	if (!copy)
		return err_set(err, -ENOMEM, "%s: no memory", t->job->name);
	ret = check(t, dirname(copy), f, err);
	free(copy);
	return ret;
}

/* What filename_format names and is not there. 0 or -errno. */
static int make_above(const struct target *t, const char *path)
{
	char *copy = makes_folders(t) ? strdup(path) : NULL;
	int ret = 0;

	for (char *at = copy ? strchr(copy + 1, '/') : NULL; at && !ret; at = strchr(at + 1, '/')) {
		*at = '\0';
		ret = expected_mkdir(t->expected, copy);
		*at = '/';
	}
	free(copy);
	return ret;
}

int target_folder_make_all(const struct target *t, struct err *err)
{
	const uint32_t count = engine_is_diskless(t->job->ops) ? 0 : t->files_count;

	for (uint32_t i = 0; i < count; i++) {
		const int ret = make_above(t, t->files[i].path);

		if (ret)
			return err_set(err, ret, "%s: cannot make the directory of '%s': %s",
				       t->job->name, t->files[i].path, strerror(-ret));
	}
	return 0;
}
