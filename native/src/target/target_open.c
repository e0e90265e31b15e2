/* SPDX-License-Identifier: Apache-2.0 */
#include "target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "target/target_donor.h"
#include "target/target_place.h"

enum { CHUNK_BYTES = 1 << 20 };

/* What is cached of the extent would make reads too fast. Dirty pages stay: layout
 * has written its own back, and a device's are written here. */
static void invalidate(const struct target_file *f, int fd)
{
	if (f->type == S_IFBLK && ioctl(fd, BLKFLSBUF))
		fdatasync(fd);		/* without the right to drop all at once */
	posix_fadvise(fd, (off_t)f->extent.start_bytes, (off_t)f->extent.size_bytes,
		      POSIX_FADV_DONTNEED);
}

static int open_error(const struct target *t, const struct target_file *f, int code,
		      struct err *err)
{
	if (code == -EINVAL && t->direct)
		return err_set(err, code, "%s: the filesystem of '%s' knows no direct I/O: set "
			       "direct=0", t->job->name, f->path);
	return err_set(err, code, "%s: cannot open '%s': %s", t->job->name, f->path,
		       strerror(-code));
}

static const int sync_flag[] = { [SYNC_NONE] = 0, [SYNC_FULL] = O_SYNC, [SYNC_DATA] = O_DSYNC };

/* Readahead follows the pattern, unless the job says otherwise. */
static void advise(const struct job *job, const struct target_file *f, int fd)
{
	static const int advices[] = {
		[ADVICE_RANDOM] = POSIX_FADV_RANDOM, [ADVICE_SEQUENTIAL] = POSIX_FADV_SEQUENTIAL,
		[ADVICE_NOREUSE] = POSIX_FADV_NOREUSE,
	};
	const enum advice by_pattern = job->rw & RW_RANDOM ? ADVICE_RANDOM : ADVICE_SEQUENTIAL;
	const enum advice advice = job->advice == ADVICE_PATTERN ? by_pattern : job->advice;

	if (advice != ADVICE_NONE)
		posix_fadvise(fd, (off_t)f->extent.start_bytes, (off_t)f->extent.size_bytes,
			      advices[advice]);
}

/* It stays a file's until somebody says another. */
static int tell_lifetime(const struct job *job, const struct target_file *f, int fd,
			 struct err *err)
{
	const uint64_t hint = job->write_hint;

	if (!hint || !(job->rw & RW_WRITE) || !fcntl(fd, F_SET_RW_HINT, &hint))
		return 0;
	return err_set(err, -errno, "%s: write_hint: the kernel takes none for '%s': %s",
		       job->name, f->path, strerror(errno));
}

/* create_on_open: what is not there is made, as large as a mapping has to be. */
static int make_and_open(const struct target *t, const struct target_file *f, int flags,
			 struct err *err)
{
	const uint64_t end = f->extent.start_bytes + f->extent.size_bytes;
	const int fd = expected_open(t->expected, f->path, flags | O_CREAT, err);
	struct stat st;

	if (fd < 0 || !(t->job->ops->flags & ENGINE_NO_DIRECT) || fstat(fd, &st) ||
	    !S_ISREG(st.st_mode) || (uint64_t)st.st_size >= end || !ftruncate(fd, (off_t)end))
		return fd;
	close(fd);
	return -errno;
}

static int open_file(const struct target *t, const struct target_file *f,
		     struct engine_file *out, struct err *err)
{
	const struct job *job = t->job;
	const bool makes = (job->files.create_on_open || job->files.unlink_each_loop) &&
			   (!f->type || f->type == S_IFREG);
	const bool extends = makes && job->ops->flags & ENGINE_NO_DIRECT;
	const int access = job_changes(job) || extends ? O_RDWR : O_RDONLY;
	const int flags = access | sync_flag[job->sync] | (t->direct ? O_DIRECT : 0);
	int fd;

	if (target_own_way(job)->open)
		return target_own_way(job)->open(job, out, err);
	fd = makes ? make_and_open(t, f, flags, err)
		   : expected_open(t->expected, f->path, flags, err);
	if (fd < 0)
		return open_error(t, f, fd, err);
	out->fd = fd;
	if (job->buffers.invalidate)
		invalidate(f, out->fd);
	advise(job, f, fd);
	return tell_lifetime(job, f, fd, err);
}

int target_open_file(const struct target *t, uint32_t file, struct engine_file *out,
		     struct err *err)
{
	return open_file(t, &t->files[file], out, err);
}

int target_open(const struct target *t, struct engine_file *files, struct err *err)
{
	int ret = target_places(t, files, err);

	target_donor_describe(t, files);
	for (uint32_t i = 0; !ret && !target_opens_later(t->job) && i < t->files_count; i++)
		ret = open_file(t, &t->files[i], &files[i], err);
	ret = ret ? ret : target_donor_open(t, files, err);
	if (ret)
		target_close(t, files);
	return ret;
}

/* Past the page cache nothing would stay there. */
static int read_through(const struct target *t, const struct target_file *f, char *chunk,
			const struct target_hooks *hooks, struct err *err)
{
	const uint64_t end = f->extent.start_bytes + f->extent.size_bytes;
	const int fd = expected_open(t->expected, f->path, O_RDONLY, err);
	ssize_t bytes = 1;

	if (fd < 0)
		return open_error(t, f, fd, err);
	for (uint64_t at = f->extent.start_bytes; bytes > 0 && at < end; at += (uint64_t)bytes) {
		if (hooks->stop && hooks->stop(hooks->context))
			break;
		bytes = pread(fd, chunk, end - at < CHUNK_BYTES ? end - at : CHUNK_BYTES,
			      (off_t)at);
	}
	close(fd);
	if (bytes >= 0)
		return 0;
	return err_set(err, -errno, "%s: pre_read: cannot read '%s': %s", t->job->name, f->path,
		       strerror(errno));
}

int target_pre_read(const struct target *t, const struct target_hooks *hooks, struct err *err)
{
	char *chunk;
	int ret = 0;

	if (!t->job->files.pre_read || target_own_way(t->job)->open)
		return 0;
	chunk = malloc(CHUNK_BYTES);
	if (!chunk)
		return err_set(err, -ENOMEM, "%s: no memory", t->job->name);
	for (uint32_t i = 0; !ret && i < t->files_count; i++)
		ret = read_through(t, &t->files[i], chunk, hooks, err);
	free(chunk);
	return ret;
}

void target_invalidate(const struct target *t, const struct engine_file *files)
{
	const bool cached = !t->direct && !(t->job->ops->flags & ENGINE_NO_DIRECT) &&
			    !target_own_way(t->job)->open;

	for (uint32_t i = 0; i < t->files_count && t->job->buffers.invalidate && cached; i++) {
		if (files[i].fd >= 0)
			invalidate(&t->files[i], files[i].fd);
	}
}

void target_close_file(const struct target *t, struct engine_file *file)
{
	const struct engine_files *own = target_own_way(t->job);

	if (file->fd >= 0 && own->close)
		own->close(t->job, file);
	else if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

void target_close(const struct target *t, struct engine_file *files)
{
	for (uint32_t i = 0; i < t->files_count; i++)
		target_close_file(t, &files[i]);
	target_donor_close(t, files);
	target_places_close(t, files);
}

static void unlink_file(const struct target *t, const struct engine_file *file)
{
	const struct engine_files *own = target_own_way(t->job);

	if (own->unlink)
		own->unlink(t->job, file);
	else
		expected_unlink(t->expected, file->path);
}

void target_unlink_loop(const struct target *t, const struct engine_file *files)
{
	for (uint32_t i = 0; i < t->files_count; i++)
		unlink_file(t, &files[i]);
}

void target_unlink(const struct target *t)
{
	for (uint32_t i = 0; t->job->files.unlink && i < t->files_count; i++) {
		struct engine_file place;
		struct err err = { 0 };

		if (!target_place(t, &t->files[i], &place, &err))
			unlink_file(t, &place);
		target_place_close(t, &place);
	}
}
