/* SPDX-License-Identifier: Apache-2.0 */
#include "engines/directories.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

int directories_check(struct job *job, bool changes, struct err *err)
{
	const bool again = job->time.loops > 1 || job->time.based;
	const bool anew = job->files.unlink_each_loop &&
			  job->ops->files == &engine_new_directories;

	if (job->files.no_create && job->ops->files == &engine_new_directories)
		return err_set(err, -EINVAL, "ioengine=%s makes directories, and "
			       "allow_file_create=0 forbids it: leave it out", job->ops->name);
	if (changes && again && !anew)
		return err_set(err, -EINVAL, "ioengine=%s has each directory once: leave loops and "
			       "time_based out, and set nrfiles", job->ops->name);
	if (changes && once_check(job, "has directories,", err))
		return -EINVAL;
	/* Also of one that only looks: directories that are not there are made before. */
	return whole_file_check(job, true, err);
}

/* What has that name: 1 a directory, 0 nothing, or -errno. */
static int look(const struct job *job, const struct engine_file *file, struct err *err)
{
	struct stat st;

	if (fstatat(file->folder_fd, file->name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : err_set(err, -errno, "%s: cannot look at '%s': "
						     "%s", job->name, file->path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return 1;
	return err_set(err, -ENOTDIR, "%s: '%s' is no directory, as ioengine=%s asks for: name "
		       "another path", job->name, file->path, job->ops->name);
}

static int size(const struct job *job, const struct engine_file *file, uint64_t *bytes,
		struct err *err)
{
	const int ret = look(job, file, err);

	*bytes = 0;
	return ret < 0 ? ret : 0;
}

static int size_of_new(const struct job *job, const struct engine_file *file, uint64_t *bytes,
		       struct err *err)
{
	const int ret = look(job, file, err);

	*bytes = 0;
	if (ret <= 0)
		return ret;
	return err_set(err, -EEXIST, "%s: '%s' is there already, and ioengine=%s makes each "
		       "directory: remove it, name another path, or let unlink=1 leave none",
		       job->name, file->path, job->ops->name);
}

static int make(const struct job *job, const struct engine_file *file, struct err *err)
{
	const int ret = look(job, file, err);

	if (ret)
		return ret < 0 ? ret : 0;
	if (job->files.no_create)
		return err_set(err, -ENOENT, "%s: there is no directory '%s', and "
			       "allow_file_create=0 forbids to make it", job->name, file->path);
	if (!mkdirat(file->folder_fd, file->name, 0700))
		return 0;
	return err_set(err, -errno, "%s: cannot make the directory '%s': %s", job->name,
		       file->path, strerror(errno));
}

static void delete_empty(const struct job *job, const struct engine_file *file)
{
	(void)job;
	unlinkat(file->folder_fd, file->name, AT_REMOVEDIR);
}

const struct engine_files engine_directories = {
	.size = size,
	.layout = make,
	.open = leave_closed,
	.unlink = delete_empty,
};

const struct engine_files engine_new_directories = {
	.size = size_of_new,
	.layout = leave_out,
	.open = leave_closed,
	.unlink = delete_empty,
};
