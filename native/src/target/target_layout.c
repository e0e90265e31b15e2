/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "pattern/content.h"
#include "target/target.h"
#include "target/target_place.h"
#include "util/random.h"

enum { CHUNK_BYTES = 1 << 20, LEAST_BYTES = 4096 };

struct layout {
	const struct target *target;
	const struct target_hooks *hooks;
	uint64_t *chunk;		/* noise, zeros, or as many whole blocks as fit */
	size_t chunk_bytes, block_bytes;
	size_t most_bytes;		/* written at a time; 0: a chunk */
	struct random noise;
	struct content content;
	struct err *err;
};

static bool zeros(const struct layout *l)
{
	return content_is_zero(l->target->job);
}

static uint64_t file_end(const struct target_file *f)
{
	return f->extent.start_bytes + f->extent.size_bytes;
}

/* Clones may share a file: an earlier one may have laid it out just now. */
static bool look_now(const struct target *t, const struct target_file *f, struct stat *st)
{
	const bool there = !expected_stat(t->expected, f->path, st, NULL);

	if (!there)
		*st = (struct stat){ 0 };
	return there;
}

/* An earlier run may have punched holes into what is to be punched: those cost nothing. */
static bool has_holes(const struct target *t, const struct stat *st)
{
	return t->job->ops->flags & ENGINE_PUNCHES && t->job->rw & RW_TRIM &&
	       st->st_blocks * 512 < st->st_size;
}

static bool needs_layout(const struct target *t, const struct target_file *f)
{
	struct stat st;

	if (f->type && f->type != S_IFREG)
		return false;
	if (t->job->ops->flags & ENGINE_DELETES && !lstat(f->path, &st))
		return false;	/* a link that leads to nothing, too */
	return !look_now(t, f, &st) || (uint64_t)st.st_size < file_end(f) || has_holes(t, &st);
}

/* Root may use what is reserved for it. */
static uint64_t bytes_available(const struct target_file *f)
{
	struct statvfs fs;

	if (statvfs(f->path, &fs))
		return UINT64_MAX;
	return (geteuid() ? fs.f_bavail : fs.f_bfree) * (uint64_t)fs.f_frsize;
}

static int full(const struct layout *l, const struct target_file *f, uint64_t needed)
{
	const uint64_t available = bytes_available(f);

	return err_set(l->err, -ENOSPC, "%s: no space for '%s': it needs %" PRIu64 " MiB more, "
		       "the filesystem has %" PRIu64 " MiB left: free some, make size smaller, or "
		       "name another directory", l->target->job->name, f->path,
		       (needed + (1 << 20) - 1) >> 20, available >> 20);
}

static int write_error(const struct layout *l, const struct target_file *f, int code,
		       uint64_t needed)
{
	if (code == -ENOSPC || code == -EDQUOT)
		return full(l, f, needed);
	return err_set(l->err, code, "%s: cannot lay out '%s': %s", l->target->job->name, f->path,
		       strerror(-code));
}

/* One with bytes left may have none for the name of another file. */
static int make_error(const struct layout *l, const struct target_file *f, int code)
{
	if (code != -ENOSPC)
		return write_error(l, f, code, 0);
	return err_set(l->err, code, "%s: no space for '%s': the filesystem has none for another "
		       "file (df -i shows how many it can have): delete some, make nrfiles "
		       "smaller, or name another directory", l->target->job->name, f->path);
}

/* Noise neither compresses nor deduplicates, and one word a sector changes each time. */
static void renew_chunk(struct layout *l)
{
	enum { SECTOR_WORDS = 512 / sizeof(uint64_t) };

	if (zeros(l))
		return;
	for (size_t i = 0; l->block_bytes && i < l->chunk_bytes; i += l->block_bytes)
		content_fill(&l->content, (char *)l->chunk + i, (uint32_t)l->block_bytes);
	for (size_t i = 0; !l->block_bytes && i < l->chunk_bytes / sizeof(*l->chunk);
	     i += SECTOR_WORDS)
		l->chunk[i] = random_next(&l->noise);
}

static int write_chunk(struct layout *l, int fd, uint64_t at, uint64_t end)
{
	const size_t most = l->most_bytes ? l->most_bytes : l->chunk_bytes;
	const size_t length = end - at < most ? (size_t)(end - at) : most;
	const ssize_t written = pwrite(fd, l->chunk, length, (off_t)at);

	if (written < 0)
		return -errno;
	return written ? (int)written : -ENOSPC;
}

/* Real blocks with real data: a hole or an unwritten extent would be read from
 * memory. Written back at once, or it would compete with the measurement. */
static int write_data(struct layout *l, int fd, const struct target_file *f, uint64_t from)
{
	uint64_t at = from;

	while (at < file_end(f)) {
		int ret;

		if (l->hooks->stop && l->hooks->stop(l->hooks->context))
			return err_set(l->err, -EINTR, "%s: interrupted while laying out '%s'",
				       l->target->job->name, f->path);
		renew_chunk(l);
		ret = write_chunk(l, fd, at, file_end(f));
		if (ret < 0)
			return write_error(l, f, ret, file_end(f) - at);
		at += (uint64_t)ret;
	}
	if (l->target->job->files.no_create_fsync)
		return 0;
	return fdatasync(fd) ? write_error(l, f, -errno, file_end(f) - from) : 0;
}

/* A mapping does not grow a file. */
static enum preallocation preallocation(const struct job *job)
{
	const enum preallocation asked = job->files.fallocate;
	const bool grows = asked == ALLOCATE_NONE || asked == ALLOCATE_KEEP;

	return grows && job->ops->flags & ENGINE_NO_DIRECT ? ALLOCATE_TRUNCATE : asked;
}

static int reserve(struct layout *l, int fd, const struct target_file *f, uint64_t from)
{
	const enum preallocation how = preallocation(l->target->job);
	const bool keep = how == ALLOCATE_KEEP;
	int ret;

	if (how == ALLOCATE_NONE)
		return 0;
	if (how == ALLOCATE_POSIX) {
		ret = posix_fallocate(fd, 0, (off_t)file_end(f));
		return ret ? write_error(l, f, -ret, file_end(f) - from) : 0;
	}
	if (how != ALLOCATE_TRUNCATE) {
		if (!fallocate(fd, keep ? FALLOC_FL_KEEP_SIZE : 0, 0, (off_t)file_end(f)))
			return 0;
		if (errno != EOPNOTSUPP && errno != ENOSYS)
			return write_error(l, f, -errno, file_end(f) - from);
	}
	return keep ? 0 : ftruncate(fd, (off_t)file_end(f)) ? write_error(l, f, -errno, 0) : 0;
}

/* What a failed layout leaves must not fill the disk: back to what was there. */
static void undo(const struct layout *l, const struct target_file *f, int fd, uint64_t from,
		 bool created)
{
	if (created)
		expected_unlink(l->target->expected, f->path);
	else if (ftruncate(fd, (off_t)from))
		return;
}

static bool needs_data(const struct job *job)
{
	return job->rw & RW_READ || job->files.overwrite;
}

/* What is written later fills it; what is read is all that there was space for. */
static int fill(struct layout *l, int fd, struct target_file *f, uint64_t from)
{
	const struct job *job = l->target->job;
	const uint64_t bs = job->block.bytes[job_main_dir(job)];
	const uint64_t least = bs < LEAST_BYTES ? LEAST_BYTES : bs;
	uint64_t bytes = from;
	struct stat st;
	int ret = 0;

	l->most_bytes = l->chunk_bytes;
	for (; needs_data(job) && l->most_bytes >= least; l->most_bytes /= 2) {
		ret = write_data(l, fd, f, bytes);
		if (ret != -ENOSPC && ret != -EDQUOT)
			break;
		*l->err = (struct err){ 0 };
		look_now(l->target, f, &st);
		bytes = (uint64_t)st.st_size;
	}
	l->most_bytes = 0;
	if (ret != -ENOSPC && ret != -EDQUOT)
		return ret;
	if (bytes <= f->extent.start_bytes)
		return full(l, f, 1);
	f->extent.size_bytes = bytes - f->extent.start_bytes;
	return fdatasync(fd) ? write_error(l, f, -errno, 0) : 0;
}

static int lay_out_file(struct layout *l, struct target_file *f)
{
	struct expected_list *expected = l->target->expected;
	struct stat st;
	const bool created = !look_now(l->target, f, &st);
	const uint64_t from = (uint64_t)st.st_size;
	const bool data = needs_data(l->target->job) && !has_holes(l->target, &st);
	const int fd = expected_open(expected, f->path, O_RDWR | O_CREAT, l->err);
	int ret;

	if (fd < 0)
		return make_error(l, f, fd);
	/* Known before it is filled: others may need the disk meanwhile. */
	if (l->target->job->amount.fill)
		ret = fill(l, fd, f, from);
	else if (file_end(f) > from && file_end(f) - from > bytes_available(f))
		ret = full(l, f, file_end(f) - from);
	else
		ret = data ? write_data(l, fd, f, from) : reserve(l, fd, f, from);
	if (ret)
		undo(l, f, fd, from, created);
	close(fd);
	return ret;
}

static void tell(const struct target *t, const struct target_hooks *hooks, uint32_t files,
		 uint64_t bytes)
{
	const char *plural = files == 1 ? "" : "s";
	char text[256];

	if (!hooks->say)
		return;
	snprintf(text, sizeof(text), "%s: Laying out IO file%s (%u file%s /%s %" PRIu64 "MiB)",
		 t->job->name, plural, files, plural, files == 1 ? "" : " total", bytes >> 20);
	hooks->say(hooks->context, text);
}

static bool announce(const struct target *t, const struct target_hooks *hooks)
{
	uint64_t bytes = 0;
	uint32_t files = 0;

	for (uint32_t i = 0; i < t->files_count; i++) {
		if (needs_layout(t, &t->files[i])) {
			files++;
			bytes += t->job->amount.fill ? 0 : file_end(&t->files[i]);
		}
	}
	if (files)
		tell(t, hooks, files, bytes);
	return files;
}

/* The engine's own way with one file. */
static int lay_out_one(const struct target *t, const struct target_file *f, struct err *err)
{
	struct engine_file place;
	int ret = target_place(t, f, &place, err);

	if (ret && !err->text[0])
		return err_set(err, ret, "%s: the directory of '%s' is gone: %s", t->job->name,
			       f->path, strerror(-ret));
	if (ret)
		return ret;
	ret = t->job->ops->files->layout(t->job, &place, err);
	target_place_close(t, &place);
	return ret;
}

static int lay_out_own(const struct target *t, struct err *err)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < t->files_count; i++)
		ret = lay_out_one(t, &t->files[i], err);
	return ret;
}

/* What a write of the job would hold is repeated block by block. */
static int make_chunk(struct layout *l)
{
	const struct job *job = l->target->job;
	const size_t block = job->block.bytes[DIR_WRITE];

	content_init(&l->content, job, l->noise.state, 0);
	l->chunk_bytes = CHUNK_BYTES;
	if (content_is_made(job) && !zeros(l)) {
		l->block_bytes = block;
		l->chunk_bytes = block < CHUNK_BYTES ? CHUNK_BYTES / block * block : block;
	}
	l->chunk = calloc(1, l->chunk_bytes);
	if (!l->chunk)
		return err_set(l->err, -ENOMEM, "%s: no memory for layout", job->name);
	for (size_t i = 0; !zeros(l) && !l->block_bytes && i < CHUNK_BYTES / sizeof(*l->chunk); i++)
		l->chunk[i] = random_next(&l->noise);
	return 0;
}

int target_layout(struct target *t, const struct target_hooks *hooks, struct err *err)
{
	struct layout l = { .target = t, .hooks = hooks, .err = err };
	int ret = 0;

	if (t->job->ops->files && t->job->ops->files->layout)
		return lay_out_own(t, err);
	if (t->job->files.create_on_open)
		return 0;
	if (!announce(t, hooks))
		return 0;
	/* Other data than in any other file, or what deduplicates would have one for all. */
	if (getrandom(&l.noise.state, sizeof(l.noise.state), 0) != sizeof(l.noise.state))
		l.noise.state = random_mix(t->clone);
	ret = make_chunk(&l);
	for (uint32_t i = 0; !ret && i < t->files_count; i++) {
		if (needs_layout(t, &t->files[i]))
			ret = lay_out_file(&l, &t->files[i]);
	}
	free(l.chunk);
	return ret;
}
