/* SPDX-License-Identifier: Apache-2.0 */
#include "confine/place.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#ifndef BLKGETDISKSEQ
#define BLKGETDISKSEQ _IOR(0x12, 128, __u64)	/* Linux 5.15 */
#endif

static const char *const kind_words[] = {
	[PLACE_BLOCK] = "it is not a block device", [PLACE_FILE] = "it is not a regular file",
	[PLACE_DIRECTORY] = "it is not a directory",
	[PLACE_NEW] = "its directory is not a directory",
};

static const mode_t kind_types[] = {
	[PLACE_BLOCK] = S_IFBLK, [PLACE_FILE] = S_IFREG, [PLACE_DIRECTORY] = S_IFDIR,
	[PLACE_NEW] = S_IFDIR,
};

int path_open(const char *path)
{
	const struct open_how how = { .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
				      .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };
	long fd = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	if (fd < 0 && errno == ENOSYS)	/* before Linux 5.6: the identity tells of a link */
		fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

static int differs(const struct place *place, const char *what, struct err *err)
{
	return err_set(err, -ESTALE, "'%s' is not what this run was allowed to use: %s; nothing "
		       "was touched", place->path, what);
}

static int compare_number(const struct place *place, const char *what, uint64_t found,
			  uint64_t meant, struct err *err)
{
	char text[160];

	if (found == meant)
		return 0;
	snprintf(text, sizeof(text), "its %s is %" PRIu64 " and should be %" PRIu64, what, found,
		 meant);
	return differs(place, text, err);
}

static int compare_device(const struct place *place, const char *what, dev_t found, dev_t meant,
			  struct err *err)
{
	char text[160];

	if (found == meant)
		return 0;
	snprintf(text, sizeof(text), "%s is %u:%u and should be %u:%u", what, major(found),
		 minor(found), major(meant), minor(meant));
	return differs(place, text, err);
}

static int compare_stat(const struct place *place, int fd, struct err *err)
{
	struct stat st;
	int ret;

	if (fstat(fd, &st))
		return err_set(err, -errno, "'%s': %s", place->path, strerror(errno));
	if ((st.st_mode & S_IFMT) != kind_types[place->kind])
		return differs(place, kind_words[place->kind], err);
	if (place->kind == PLACE_BLOCK) {
		ret = compare_device(place, "its number", st.st_rdev, place->rdev, err);
		if (ret)
			return ret;
	}
	ret = compare_device(place, "the filesystem that it is on", st.st_dev, place->device, err);
	return ret ? ret : compare_number(place, "inode", st.st_ino, place->inode, err);
}

/* Opens what an O_PATH descriptor points at. */
static int reopen(int fd, int flags)
{
	char path[64];
	int opened;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	opened = open(path, flags | O_CLOEXEC | O_NONBLOCK);
	return opened < 0 ? -errno : opened;
}

static int compare_disk(const struct place *place, int fd, struct err *err)
{
	uint64_t diskseq = 0, size = 0;
	int ret = 0;

	if (ioctl(fd, BLKGETSIZE64, &size))
		return err_set(err, -errno, "'%s': its size cannot be read: %s", place->path,
			       strerror(errno));
	if (place->diskseq && !ioctl(fd, BLKGETDISKSEQ, &diskseq))
		ret = compare_number(place, "disk sequence number", diskseq, place->diskseq, err);
	else if (place->diskseq && errno != ENOTTY)
		ret = err_set(err, -errno, "'%s': its disk sequence number cannot be read: %s",
			      place->path, strerror(errno));
	return ret ? ret : compare_number(place, "size", size, place->size_bytes, err);
}

/* The kernel lets one opener at a time claim a device; a mount is one. A descriptor, or -errno
 * with *err. */
static int claim_device(const struct place *place, struct err *err)
{
	const int fd = reopen(place->fd, O_RDONLY | O_EXCL);

	if (fd < 0)
		err_set(err, fd, "'%s' cannot be opened for this run alone: %s; something "
			"else uses it: nothing was touched", place->path, strerror(-fd));
	return fd;
}

/* The command claims it for itself a moment later. */
static int check_unclaimed(const struct place *place, struct err *err)
{
	const int fd = claim_device(place, err);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

static bool is_listed(const struct texts *texts, const char *text)
{
	for (size_t i = 0; i < texts->count; i++) {
		if (!strcmp(texts->at[i], text))
			return true;
	}
	return false;
}

static int open_device(const struct place *place, bool claims, struct err *err)
{
	const int fd = claims ? claim_device(place, err) : reopen(place->fd, O_RDONLY);

	if (fd < 0 && !claims)
		err_set(err, fd, "'%s' cannot be opened: %s", place->path, strerror(-fd));
	return fd;
}

/* Stays open, and is inherited: a loop device keeps its image as long as somebody has it, and
 * what is claimed is not mounted until the command has ended. */
static int hold_device(struct confine_plan *p, const struct place *place, struct err *err)
{
	const bool claims = is_listed(&p->claims, place->path);
	const int fd = open_device(place, claims, err);
	int ret;

	if (fd < 0)
		return fd;
	if (p->fds_count == PLAN_FDS_MAX)
		ret = err_set(err, -EMFILE, "too many devices: '%s'", place->path);
	else
		ret = compare_disk(place, fd, err);
	if (!ret && place->writable && !claims)
		ret = check_unclaimed(place, err);
	if (ret) {
		close(fd);
		return ret;
	}
	if (is_listed(&p->flushes, place->path))
		ioctl(fd, BLKFLSBUF);	/* else the engine does what it can */
	p->fds[p->fds_count++] = fd;
	return 0;
}

/* A new file stands alone in what the command may write: its directory is not. */
static int make_file(struct place *place, struct err *err)
{
	const char *name = strrchr(place->path, '/') + 1;
	const int folder = place->fd;
	int fd = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);

	if (fd < 0)
		return err_set(err, -errno, "'%s' cannot be made: %s; nothing was touched",
			       place->path, strerror(errno));
	close(fd);
	place->made = true;
	fd = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, -errno, "'%s': %s", place->path, strerror(errno));
	close(folder);
	place->fd = fd;
	place->kind = PLACE_FILE;
	return 0;
}

/* Of a new file the directory. */
static int open_named(const struct place *place)
{
	const char *slash = strrchr(place->path, '/');
	char *folder;
	int fd;

	if (place->kind != PLACE_NEW)
		return path_open(place->path);
	folder = strndup(place->path, slash == place->path ? 1 : (size_t)(slash - place->path));
	fd = folder ? path_open(folder) : -ENOMEM;
	free(folder);
	return fd;
}

static int open_place(struct confine_plan *p, struct place *place, struct err *err)
{
	int ret;

	place->fd = open_named(place);
	if (place->fd == -ELOOP)
		return differs(place, "there is a link in it now", err);
	if (place->fd < 0)
		return differs(place, strerror(-place->fd), err);
	ret = compare_stat(place, place->fd, err);
	if (!ret && place->kind == PLACE_BLOCK)
		ret = hold_device(p, place, err);
	return ret;
}

int places_open(struct confine_plan *p, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < p->places_count; i++)
		ret = open_place(p, &p->places[i], err);
	/* Nothing is made before everything was compared. */
	for (size_t i = 0; !ret && i < p->places_count; i++) {
		if (p->places[i].kind == PLACE_NEW)
			ret = make_file(&p->places[i], err);
	}
	return ret;
}

void places_undo(const struct confine_plan *p)
{
	for (size_t i = 0; i < p->places_count; i++) {
		if (p->places[i].made)
			unlink(p->places[i].path);
	}
}
