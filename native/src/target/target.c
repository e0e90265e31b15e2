/* SPDX-License-Identifier: Apache-2.0 */
#include "target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "pattern/trace.h"
#include "target/device.h"
#include "target/in_use.h"
#include "util/random.h"

static const uint64_t OFFSET_MAX = INT64_MAX;	/* what off_t holds */

static bool writes(const struct job *job)
{
	return job->rw & (RW_WRITE | RW_TRIM);
}

/* What the engine does itself with its files. */
static const struct engine_files *own_way(const struct job *job)
{
	static const struct engine_files nothing;

	return job->ops->files ? job->ops->files : &nothing;
}

/* A mistyped device must not become a file in /dev that fills the memory. */
static bool is_dev(const struct stat *folder)
{
	struct stat dev;

	return !stat("/dev", &dev) && folder->st_dev == dev.st_dev;
}

/* A file that is not there yet needs at least a folder to be made in. */
static int check_folder(const struct job *job, struct target_file *f, struct err *err)
{
	char *copy = strdup(f->path);
	struct stat st;
	int ret = 0;

	if (!copy)
		return err_set(err, -ENOMEM, "%s: no memory", job->name);
	const char *folder = dirname(copy);

	if (stat(folder, &st))
		ret = err_set(err, -errno, "%s: directory '%s' %s: create it, or name another "
			      "with directory=", job->name, folder,
			      errno == ENOENT ? "does not exist" : strerror(errno));
	else if (!S_ISDIR(st.st_mode))
		ret = err_set(err, -ENOTDIR, "%s: '%s' is not a directory: name one with "
			      "directory=", job->name, folder);
	else if (is_dev(&st))
		ret = err_refuse(err, -ENODEV, "%s: there is no device '%s', and none can be "
				 "made by writing a file there: see lsblk", job->name,
				 f->path);
	else
		f->device = st.st_dev;
	free(copy);
	return ret;
}

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
		return check_folder(t->job, f, err);
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

static uint64_t resolve(const struct size_value *v, uint64_t whole)
{
	return v->percent ? (uint64_t)((unsigned __int128)whole * v->percent / 100) : v->bytes;
}

static int size_missing(const struct job *job, const struct target_file *f, struct err *err)
{
	if (job->amount.size.percent)
		return err_set(err, -EINVAL, "%s: size=%u%% of what? '%s' does not exist: give "
			       "size= in bytes", job->name, job->amount.size.percent, f->path);
	return err_set(err, -EINVAL, "%s: you need to specify size=: '%s' %s", job->name, f->path,
		       f->type ? "is empty" : "does not exist");
}

/* filesize=a-b: the same size for the same file in every run, in whole blocks. */
static uint64_t choose_filesize(const struct target *t, const struct target_file *f)
{
	const struct job *job = t->job;
	const uint64_t min = job->files.size.min_bytes, span = job->files.size.max_bytes - min + 1;
	const uint64_t bs = job->block.bytes[job->rw & RW_READ ? DIR_READ : DIR_WRITE];
	const uint64_t number = ((uint64_t)t->clone << 32) + (uint64_t)(f - t->files);
	uint64_t size = span ? min + random_mix(random_mix(number + 1)) % span : min;

	size = bs ? size / bs * bs : size;
	return size < min ? min : size;
}

/* size= is shared among the files; unset, it is all that is there. */
static int set_extent(const struct target *t, struct target_file *f, struct err *err)
{
	const struct job *job = t->job;
	const uint64_t whole = job->files.size.max_bytes ? choose_filesize(t, f)
						       : job->amount.size.bytes / t->files_count;
	const uint64_t start = resolve(&job->amount.offset,
				       f->present_bytes ? f->present_bytes : whole);
	const uint64_t rest = f->present_bytes > start ? f->present_bytes - start : 0;
	uint64_t size = whole;

	if (job->replay.trace)
		size = job->replay.trace->files[f - t->files].end_bytes;
	else if (job->files.size.max_bytes)
		size = whole > start ? whole - start : 0;
	else if (job->amount.size.percent)
		size = resolve(&job->amount.size, f->present_bytes);
	else if (!job->amount.size.bytes)
		size = rest;
	if (!size && f->present_bytes && start >= f->present_bytes)
		return err_set(err, -EINVAL, "%s: offset %" PRIu64 " is past the end of '%s' (%"
			       PRIu64 " bytes)", job->name, start, f->path, f->present_bytes);
	if (!size)
		return size_missing(job, f, err);
	if ((f->type == S_IFBLK || job->amount.size.percent) && size > rest)
		size = rest;
	if (!size)
		return err_set(err, -EINVAL, "%s: offset %" PRIu64 " is past the end of '%s' (%"
			       PRIu64 " bytes)", job->name, start, f->path, f->present_bytes);
	if (size > OFFSET_MAX || start > OFFSET_MAX - size)
		return err_set(err, -EFBIG, "%s: offset + size of '%s' is %" PRIu64 " + %" PRIu64
			       " bytes, past the end of any file (%" PRIu64 "): make size smaller",
			       job->name, f->path, start, size, OFFSET_MAX);
	f->extent = (struct pattern_extent){ start, size };
	return 0;
}

static uint32_t direct_alignment(const struct target_file *f)
{
	struct statx stx = { 0 };

#ifdef STATX_DIOALIGN
	if (f->type == S_IFREG && !statx(AT_FDCWD, f->path, 0, STATX_DIOALIGN, &stx) &&
	    stx.stx_mask & STATX_DIOALIGN && stx.stx_dio_offset_align)
		return stx.stx_dio_offset_align;
#endif
	(void)stx;
	return device_logical_block(f->device);
}

static int check_alignment(const struct job *job, const struct target_file *f, struct err *err)
{
	const uint32_t unit = direct_alignment(f);

	for (int dir = DIR_READ; dir <= DIR_WRITE; dir++) {
		if (job->rw & (RW_READ << dir) && job->block.bytes[dir] % unit)
			return err_set(err, -EINVAL, "%s: direct=1 on '%s' needs blocks of a "
				       "multiple of %u bytes, bs is %" PRIu64 ": change bs or "
				       "set direct=0", job->name, f->path, unit,
				       job->block.bytes[dir]);
	}
	if (f->extent.start_bytes % unit)
		return err_set(err, -EINVAL, "%s: direct=1 on '%s' needs an offset that is a "
			       "multiple of %u bytes, not %" PRIu64, job->name, f->path, unit,
			       f->extent.start_bytes);
	return 0;
}

static int check_write(const struct job *job, const struct target_file *f, struct err *err)
{
	if (f->type == S_IFBLK && writes(job))
		return in_use_device(f->path, f->device, err);
	if (f->type == S_IFREG)
		return in_use_file(f->path, f->device, f->inode, err);
	return 0;
}

/* To lay a file out is to write it. */
static int check_complete(const struct job *job, const struct target_file *f, struct err *err)
{
	const uint64_t end = f->extent.start_bytes + f->extent.size_bytes;

	if (!f->type)
		return err_set(err, -EPERM, "%s: '%s' does not exist, and --readonly forbids to "
			       "make it: lay it out before without --readonly", job->name, f->path);
	if (f->type == S_IFREG && f->present_bytes < end)
		return err_set(err, -EPERM, "%s: '%s' has %" PRIu64 " bytes, the job needs %"
			       PRIu64 ", and --readonly forbids to extend it: make size "
			       "smaller, or lay it out before without --readonly", job->name,
			       f->path, f->present_bytes, end);
	return 0;
}

static int init_file(struct target *t, uint32_t i, bool readonly, struct err *err)
{
	const struct engine_files *own = own_way(t->job);
	struct target_file *f = &t->files[i];
	int ret = 0;

	f->path = target_path(t->job, t->clone, i);
	if (!f->path)
		return err_set(err, -ENOMEM, "%s: no memory", t->job->name);
	ret = own->size ? own->size(t->job, f->path, &f->present_bytes, err) : look(t, f, err);
	if (!ret)
		ret = set_extent(t, f, err);
	if (!ret && readonly && !own->layout)
		ret = check_complete(t->job, f, err);
	if (!ret && t->direct)
		ret = check_alignment(t->job, f, err);
	if (!ret && (writes(t->job) || t->job->files.unlink) && !own->size)
		ret = check_write(t->job, f, err);
	return ret;
}

int target_init(struct target *t, const struct job *job, uint32_t clone,
		const struct target_rules *rules, struct err *err)
{
	const bool readonly = rules && rules->readonly;
	int ret = 0;

	*t = (struct target){ .job = job, .clone = clone,
			      .expected = rules ? rules->expected : NULL };
	t->direct = job->direct && !(job->ops->flags & ENGINE_NO_DIRECT) &&
		    !engine_is_diskless(job->ops);
	if (readonly && (writes(job) || job->files.unlink))
		return err_set(err, -EPERM, "%s: the job %s, and --readonly forbids it", job->name,
			       writes(job) ? "writes" : "deletes its files");
	t->files_count = job->ops->flags & ENGINE_NO_DATA ? 0 : target_files_count(job);
	if (t->files_count > UINT16_MAX)
		return err_set(err, -EINVAL, "%s: %u files are too many: at most %u", job->name,
			       t->files_count, UINT16_MAX);
	t->files = calloc(t->files_count + 1u, sizeof(*t->files));
	if (!t->files)
		return err_set(err, -ENOMEM, "%s: no memory for %u files", job->name,
			       t->files_count);
	for (uint32_t i = 0; !ret && i < t->files_count; i++)
		ret = init_file(t, i, readonly, err);
	return ret;
}

void target_release(struct target *t)
{
	for (uint32_t i = 0; t->files && i < t->files_count; i++)
		free(t->files[i].path);
	free(t->files);
	t->files = NULL;
}

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

static int open_file(const struct target *t, const struct target_file *f,
		     struct engine_file *out, struct err *err)
{
	const bool random = t->job->rw & RW_RANDOM;
	const int access = writes(t->job) ? O_RDWR : O_RDONLY;
	int fd;

	out->path = f->path;
	out->end_bytes = f->extent.start_bytes + f->extent.size_bytes;
	out->fd = -1;
	if (own_way(t->job)->open)
		return own_way(t->job)->open(t->job, out, err);
	fd = expected_open(t->expected, f->path, access | sync_flag[t->job->sync] |
			   (t->direct ? O_DIRECT : 0), err);
	if (fd < 0)
		return open_error(t, f, fd, err);
	out->fd = fd;
	if (t->job->buffers.invalidate)
		invalidate(f, out->fd);
	/* Readahead follows the pattern, as fio's fadvise_hint does by default. */
	posix_fadvise(out->fd, (off_t)f->extent.start_bytes, (off_t)f->extent.size_bytes,
		      random ? POSIX_FADV_RANDOM : POSIX_FADV_SEQUENTIAL);
	return 0;
}

int target_open(const struct target *t, struct engine_file *files, struct err *err)
{
	int ret = 0;

	for (uint32_t i = 0; i < t->files_count; i++)
		files[i].fd = -1;
	for (uint32_t i = 0; !ret && i < t->files_count; i++)
		ret = open_file(t, &t->files[i], &files[i], err);
	if (ret)
		target_close(t, files);
	return ret;
}

void target_invalidate(const struct target *t, const struct engine_file *files)
{
	const bool cached = !t->direct && !(t->job->ops->flags & ENGINE_NO_DIRECT) &&
			    !own_way(t->job)->open;

	for (uint32_t i = 0; i < t->files_count && t->job->buffers.invalidate && cached; i++) {
		if (files[i].fd >= 0)
			invalidate(&t->files[i], files[i].fd);
	}
}

void target_close(const struct target *t, struct engine_file *files)
{
	const struct engine_files *own = own_way(t->job);

	for (uint32_t i = 0; i < t->files_count; i++) {
		if (files[i].fd >= 0 && own->close)
			own->close(t->job, &files[i]);
		else if (files[i].fd >= 0)
			close(files[i].fd);
		files[i].fd = -1;
	}
}

void target_unlink(const struct target *t)
{
	const struct engine_files *own = own_way(t->job);

	for (uint32_t i = 0; t->job->files.unlink && i < t->files_count; i++) {
		if (own->unlink)
			own->unlink(t->job, t->files[i].path);
		else
			expected_unlink(t->expected, t->files[i].path);
	}
}
