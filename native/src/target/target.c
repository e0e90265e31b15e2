/* SPDX-License-Identifier: Apache-2.0 */
#include "target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "pattern/pattern_fit.h"
#include "pattern/pattern_sizes.h"
#include "target/device.h"
#include "target/target_checks.h"
#include "target/target_donor.h"
#include "target/target_extent.h"
#include "target/target_folder.h"
#include "target/target_listing.h"
#include "target/target_place.h"

static int device_bytes(const struct target *t, struct target_file *f, struct err *err)
{
	const int fd = expected_open(t->expected, f->path, O_RDONLY, err);
	int ret = fd < 0 ? fd : device_size(fd, &f->present_bytes);

	if (!ret && !f->present_bytes)
		ret = -ENOMEDIUM;
	if (ret)
		err_set(err, ret, "%s: cannot use device '%s': %s", t->job->name, f->path,
			strerror(-ret));
	if (fd >= 0)
		close(fd);
	return ret;
}

static int look(const struct target *t, struct target_file *f, struct err *err)
{
	struct stat st;
	const int ret = expected_stat(t->expected, f->path, &st, err);

	if (ret == -ENOENT)
		return target_folder_check(t, f, err);
	if (ret)
		return err_set(err, ret, "%s: cannot use '%s': %s", t->job->name, f->path,
			       strerror(-ret));
	f->type = st.st_mode & S_IFMT;
	f->device = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
	f->inode = st.st_ino;
	f->present_bytes = (uint64_t)st.st_size;
	if (S_ISBLK(st.st_mode))
		return device_bytes(t, f, err);
	if (S_ISREG(st.st_mode) || S_ISCHR(st.st_mode))
		return 0;
	return err_set(err, -EINVAL, "%s: '%s' is neither a file nor a device: name one with "
		       "filename=", t->job->name, f->path);
}

/* A job without a size has that of what earlier ones make, where the file is not there yet. */
static void look_before(const struct target *t, struct target_file *f)
{
	const struct job *job = t->job;
	const bool sized = job->amount.size.bytes || job->files.size.max_bytes ||
			   job->replay.trace || job->amount.append || job->amount.fill;

	if (sized || f->type || f->present_bytes)
		return;
	for (const struct target *each = t->before; each; each = each->before) {
		const uint64_t end = target_end_in(each, f->path);

		f->present_bytes = end > f->present_bytes ? end : f->present_bytes;
	}
}

/* Of one that is below directories that are yet to be made, there is nothing. */
static int look_own(const struct target *t, struct target_file *f, struct err *err)
{
	const struct engine_files *own = target_own_way(t->job);
	const bool disk = !engine_is_diskless(t->job->ops);
	struct engine_file place;
	int ret = disk ? target_folder_check(t, f, err) : 0;

	ret = ret ? ret : target_place(t, f, &place, err);
	if (ret == -ENOENT && !err->text[0])
		return 0;
	if (ret)
		return ret;
	ret = own->size(t->job, &place, &f->present_bytes, err);
	target_place_close(t, &place);
	return ret;
}

/* Before anything is made. */
static int check_room(const struct target *t, const struct target_file *f, struct err *err)
{
	char name[PATH_MAX + 2];

	if (t->job->replay.trace || target_own_way(t->job)->size)
		return 0;
	snprintf(name, sizeof(name), "'%s'", f->path);
	return pattern_fit(t->job, &f->extent, name, err);
}

static int init_file(struct target *t, uint32_t i, bool readonly, struct err *err)
{
	const struct engine_files *own = target_own_way(t->job);
	struct target_file *f = &t->files[i];
	int ret = 0;

	if (!f->path)
		f->path = target_path(t->job, t->clone, i);
	if (!f->path)
		return err_set(err, -ENOMEM, "%s: no memory", t->job->name);
	ret = own->size ? look_own(t, f, err) : look(t, f, err);
	if (ret)
		return ret;
	look_before(t, f);
	ret = target_extent(t, f, err);
	ret = ret ? ret : check_room(t, f, err);
	return ret ? ret : target_checks(t, f, readonly, err);
}

static int make_files(struct target *t, uint32_t count, struct err *err)
{
	if (count > UINT16_MAX)
		return err_set(err, -EINVAL, "%s: %u files are too many: at most %u",
			       t->job->name, count, UINT16_MAX);
	t->files = calloc(count + 1u, sizeof(*t->files));
	if (!t->files)
		return err_set(err, -ENOMEM, "%s: no memory for %u files", t->job->name, count);
	t->files_count = count;
	return 0;
}

/* What holds no block is left out: its share of the size would be too small, too. */
static void take_listed(struct target *t, struct target_listing *found)
{
	const struct job *job = t->job;
	const uint64_t share = job->amount.size.bytes / t->files_count;
	uint32_t kept = t->files_count - found->count;

	for (uint32_t i = 0; i < found->count; i++) {
		struct stat st;
		const bool holds = !expected_stat(t->expected, found->paths[i], &st, NULL) &&
				   (uint64_t)st.st_size >= pattern_unit(job);

		if (!holds && share < pattern_unit(job))
			continue;
		t->files[kept++] = (struct target_file){ .path = found->paths[i], .listed = true };
		found->paths[i] = NULL;
	}
	t->files_count = kept;
}

/* opendir: those that are below it, behind those that are named. */
static int list_files(struct target *t, struct err *err)
{
	const struct job *job = t->job;
	const uint32_t named = job->files.names ? target_files_count(job) : 0;
	struct target_listing found;
	int ret = target_listing_make(&found, job->files.below);

	if (ret)
		err_set(err, ret, "%s: opendir: cannot list '%s': %s", job->name,
			job->files.below, strerror(-ret));
	else
		ret = make_files(t, named + found.count, err);
	if (!ret && found.count)
		take_listed(t, &found);
	if (!ret && !t->files_count)
		ret = err_set(err, -ENOENT, "%s: opendir: below '%s' is no file that holds a "
			      "block: name another directory, or make bs smaller", job->name,
			      job->files.below);
	target_listing_release(&found);
	return ret;
}

static int name_files(struct target *t, struct err *err)
{
	const struct job *job = t->job;

	if (job->ops->flags & ENGINE_NO_DATA)
		return make_files(t, 0, err);
	if (job->files.below && !job->replay.trace)
		return list_files(t, err);
	return make_files(t, target_files_count(job), err);
}

/* What a program does nobody sees. */
static int check_program(const struct job *job, const struct target_rules *rules, struct err *err)
{
	if (!(job->ops->flags & ENGINE_RUNS) || !rules)
		return 0;
	if (rules->readonly)
		return err_set(err, -EPERM, "%s: ioengine=%s runs a program, which may write, and "
			       "--readonly forbids it", job->name, job->ops->name);
	if (rules->expected && rules->expected->count)
		return err_refuse(err, -EPERM, "%s: ioengine=%s runs a program, which opens what "
				  "it wants, and --expect allows nothing else than what it names: "
				  "leave one of them out", job->name, job->ops->name);
	return 0;
}

int target_init(struct target *t, const struct job *job, uint32_t clone,
		const struct target_rules *rules, struct err *err)
{
	const bool readonly = rules && rules->readonly;
	int ret = 0;

	*t = (struct target){ .job = job, .clone = clone,
			      .expected = rules ? rules->expected : NULL,
			      .before = rules ? rules->before : NULL };
	t->direct = job->direct && !(job->ops->flags & ENGINE_NO_DIRECT) &&
		    !engine_is_diskless(job->ops);
	if (readonly && (job_changes(job) || job->files.unlink || job->files.unlink_each_loop))
		return err_set(err, -EPERM, "%s: the job %s, and --readonly forbids it", job->name,
			       job_changes(job) ? "writes" : "deletes its files");
	ret = check_program(job, rules, err);
	ret = ret ? ret : name_files(t, err);
	for (uint32_t i = 0; !ret && i < t->files_count; i++)
		ret = init_file(t, i, readonly, err);
	return ret ? ret : target_donor_init(t, err);
}

void target_release(struct target *t)
{
	for (uint32_t i = 0; t->files && i < t->files_count; i++)
		free(t->files[i].path);
	if (t->donor)
		free(t->donor->path);
	free(t->files);
	t->donor = NULL;
	t->files = NULL;
}
