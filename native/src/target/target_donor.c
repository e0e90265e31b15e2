/* SPDX-License-Identifier: Apache-2.0 */
#include "target/target_donor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target/in_use.h"
#include "target/target_folder.h"
#include "target/target_place.h"

static int look(const struct target *t, struct target_file *f, struct err *err)
{
	struct stat st;
	const int ret = expected_stat(t->expected, f->path, &st, err);

	if (ret == -ENOENT && t->job->files.no_create)
		return err_set(err, -EPERM, "%s: the donor '%s' does not exist, and "
			       "allow_file_create=0 forbids to make it", t->job->name, f->path);
	if (ret == -ENOENT)
		return target_folder_check(t, f, err);
	if (ret)
		return err_set(err, ret, "%s: cannot use the donor '%s': %s", t->job->name,
			       f->path, strerror(-ret));
	if (!S_ISREG(st.st_mode))
		return err_set(err, -EINVAL, "%s: the donor '%s' is no file: name another with "
			       "donorname=", t->job->name, f->path);
	f->type = S_IFREG;
	f->device = st.st_dev;
	f->inode = st.st_ino;
	return in_use_file(f->path, f->device, f->inode, err);
}

static int is_own(const struct target *t, const struct target_file *f, struct err *err)
{
	return err_refuse(err, -EINVAL, "%s: the donor '%s' is the job's own file '%s', which "
			  "would lose its data: name another with donorname=", t->job->name,
			  t->donor->path, f->path);
}

/* Whatever its name is. */
static int check_beside(const struct target *t, const struct target_file *donor,
			const struct target_file *f, struct err *err)
{
	const bool is_one = donor->type && f->type && donor->device == f->device &&
			    donor->inode == f->inode;

	if (is_one || !strcmp(donor->path, f->path))
		return is_own(t, f, err);
	if (donor->device == f->device)
		return 0;
	return err_set(err, -EXDEV, "%s: the donor '%s' is on another filesystem than '%s', and "
		       "only one filesystem exchanges blocks: name one there with donorname=",
		       t->job->name, donor->path, f->path);
}

int target_donor_init(struct target *t, struct err *err)
{
	const struct job *job = t->job;
	const char *name = job->ops->donor ? job->ops->donor(job) : NULL;
	struct target_file *donor = &t->files[t->files_count];
	int ret;

	if (!name)
		return 0;
	*donor = (struct target_file){ .path = target_path_named(job, name) };
	t->donor = donor;
	if (!donor->path)
		return err_set(err, -ENOMEM, "%s: no memory", job->name);
	ret = look(t, donor, err);
	for (uint32_t i = 0; !ret && i < t->files_count; i++)
		ret = check_beside(t, donor, &t->files[i], err);
	return ret;
}

void target_donor_describe(const struct target *t, struct engine_file *files)
{
	if (t->donor)
		target_describe(t, t->donor, &files[t->files_count]);
}

/* Neither of both may have been there before, and paths may lead elsewhere since. */
static int check_opened(const struct target *t, int fd, struct err *err)
{
	struct stat donor, st;
	int ret;

	if (fstat(fd, &donor))
		return err_set(err, -errno, "%s: cannot look at the donor '%s': %s", t->job->name,
			       t->donor->path, strerror(errno));
	for (uint32_t i = 0; i < t->files_count; i++) {
		const struct target_file *f = &t->files[i];

		ret = expected_stat(t->expected, f->path, &st, err);
		if (ret && ret != -ENOENT)
			return err_set(err, ret, "%s: cannot look at '%s': %s", t->job->name,
				       f->path, strerror(-ret));
		if (!ret && st.st_dev == donor.st_dev && st.st_ino == donor.st_ino)
			return is_own(t, f, err);
	}
	return 0;
}

int target_donor_open(const struct target *t, struct engine_file *files, struct err *err)
{
	int fd, ret;

	if (!t->donor)
		return 0;
	fd = expected_open(t->expected, t->donor->path, O_RDWR | O_CREAT, err);
	if (fd < 0)
		return err_set(err, fd, "%s: cannot open the donor '%s': %s", t->job->name,
			       t->donor->path, strerror(-fd));
	ret = check_opened(t, fd, err);
	if (ret)
		close(fd);
	else
		files[t->files_count].fd = fd;
	return ret;
}

void target_donor_close(const struct target *t, struct engine_file *files)
{
	if (!t->donor || files[t->files_count].fd < 0)
		return;
	close(files[t->files_count].fd);
	files[t->files_count].fd = -1;
}
