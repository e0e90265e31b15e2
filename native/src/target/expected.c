/* SPDX-License-Identifier: Apache-2.0 */
#include "target/expected.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#ifndef BLKGETDISKSEQ
#define BLKGETDISKSEQ _IOR(0x12, 128, __u64)	/* Linux 5.15 */
#endif

static const struct {
	const char *word;
	mode_t type;
} kinds[] = { { "block", S_IFBLK }, { "file", S_IFREG }, { "directory", S_IFDIR },
	      { "new", 0 } };

static int bad(const char *text, struct err *err)
{
	return err_set(err, -EINVAL, "--expect: '%.200s' is not KIND DEVICE INODE RDEV DISKSEQ "
		       "SIZE PATH, such as 'file 8:1 42 0:0 0 0 /srv/data'", text);
}

int expected_add(struct expected_list *list, const char *text, struct err *err)
{
	struct expected *e = &list->items[list->count];
	unsigned device[2], rdev[2];
	uint64_t inode;
	char word[16];
	int at = 0;

	if (list->count == EXPECTED_MAX)
		return err_set(err, -EINVAL, "--expect: at most %d targets", EXPECTED_MAX);
	if (sscanf(text, "%15[a-z] %u:%u %" SCNu64 " %u:%u %" SCNu64 " %" SCNu64 " %n", word,
		   &device[0], &device[1], &inode, &rdev[0], &rdev[1], &e->diskseq,
		   &e->size_bytes, &at) != 8 || text[at] != '/')
		return bad(text, err);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(kinds[i].word, word))
			continue;
		e->type = kinds[i].type;
		e->device = makedev(device[0], device[1]);
		e->rdev = makedev(rdev[0], rdev[1]);
		e->inode = (ino_t)inode;
		e->path = text + at;
		list->count++;
		return 0;
	}
	return bad(text, err);
}

/* Nothing that a link leads to; before Linux 5.6 the last name alone is looked at, and the
 * identity tells the rest. */
static int open_plainly(int folder, const char *path, int flags, uint64_t resolve)
{
	const struct open_how how = {
		.flags = (uint64_t)(flags | O_NOFOLLOW | O_CLOEXEC),
		.mode = flags & O_CREAT ? 0644 : 0,
		.resolve = resolve | RESOLVE_NO_SYMLINKS,
	};
	long fd = syscall(SYS_openat2, folder, path, &how, sizeof(how));

	if (fd < 0 && errno == ENOSYS)
		fd = openat(folder, path, flags | O_NOFOLLOW | O_CLOEXEC, 0644);
	return fd < 0 ? -errno : (int)fd;
}

__attribute__((format(printf, 3, 4)))
static int differs(const char *path, struct err *err, const char *format, ...)
{
	char what[160];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	return err_refuse(err, -ESTALE, "'%s' is not what this run looked up: %s; nothing of it "
			  "was touched", path, what);
}

static int compare_device(const struct expected *e, int fd, const struct stat *st, int flags,
			  struct err *err)
{
	uint64_t diskseq = e->diskseq, size = e->size_bytes;

	if (st->st_rdev != e->rdev)
		return differs(e->path, err, "it is device %u:%u, not %u:%u", major(st->st_rdev),
			       minor(st->st_rdev), major(e->rdev), minor(e->rdev));
	if (flags & O_PATH)
		return 0;
	if (e->diskseq && ioctl(fd, BLKGETDISKSEQ, &diskseq) && errno != ENOTTY)
		return differs(e->path, err, "its disk sequence number cannot be read");
	if (ioctl(fd, BLKGETSIZE64, &size))
		return differs(e->path, err, "its size cannot be read");
	if (diskseq != e->diskseq)
		return differs(e->path, err, "its disk sequence number is %" PRIu64 ", not %"
			       PRIu64, diskseq, e->diskseq);
	if (size != e->size_bytes)
		return differs(e->path, err, "it has %" PRIu64 " bytes, not %" PRIu64, size,
			       e->size_bytes);
	return 0;
}

static int check_names(const char *path, const struct stat *st, int flags, struct err *err)
{
	if ((flags & O_ACCMODE) == O_RDONLY || !S_ISREG(st->st_mode) || st->st_nlink < 2)
		return 0;
	return differs(path, err, "it has %u names, and would be written under all of them",
		       (unsigned)st->st_nlink);
}

static int compare(const struct expected *e, int fd, int flags, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if ((st.st_mode & S_IFMT) != e->type)
		return differs(e->path, err, "it is of another kind");
	if (e->type == S_IFBLK)
		return compare_device(e, fd, &st, flags, err);
	if (st.st_dev != e->device || st.st_ino != e->inode)
		return differs(e->path, err, "it is %u:%u inode %" PRIu64 ", not %u:%u inode %"
			       PRIu64, major(st.st_dev), minor(st.st_dev), (uint64_t)st.st_ino,
			       major(e->device), minor(e->device), (uint64_t)e->inode);
	return check_names(e->path, &st, flags, err);
}

static int closing(int fd, int code)
{
	if (!code)
		return fd;
	close(fd);
	return code;
}

static int open_known(const struct expected *e, int flags, struct err *err)
{
	const int fd = open_plainly(AT_FDCWD, e->path, flags & ~O_CREAT, 0);

	if (fd == -ENOENT)
		return differs(e->path, err, "it is gone");
	if (fd == -ELOOP)
		return differs(e->path, err, "a link stands in its path");
	return fd < 0 ? fd : closing(fd, compare(e, fd, flags, err));
}

/* The directory of a new file, or of what is below one: compared, and only pointed at. */
static int open_folder(const struct expected *e, const char *path, struct err *err)
{
	const struct expected folder = { .type = S_IFDIR, .device = e->device,
					 .inode = e->inode, .path = path };

	return open_known(&folder, O_PATH | O_DIRECTORY, err);
}

static int adopt(struct expected *e, int fd, bool made, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_nlink != 1 || (!made && st.st_size))
		return differs(e->path, err, "something stands where a new file should be made");
	e->type = S_IFREG;
	e->device = st.st_dev;
	e->inode = st.st_ino;
	return 0;
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* All but the last name. */
static char *parent_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? strndup(path, slash > path ? (size_t)(slash - path) : 1) : strdup(".");
}

static int folder_of_new(const struct expected *e, struct err *err)
{
	char *parent = parent_of(e->path);
	const int folder = parent ? open_folder(e, parent, err) : -ENOMEM;

	free(parent);
	return folder;
}

static int open_new(struct expected *e, int flags, struct err *err)
{
	const char *name = name_of(e->path);
	const int folder = folder_of_new(e, err);
	bool made = false;
	int fd;

	if (folder < 0)
		return folder;
	fd = open_plainly(folder, name, flags & ~O_CREAT, RESOLVE_BENEATH);
	if (fd == -ENOENT && flags & O_CREAT) {
		fd = open_plainly(folder, name, flags | O_EXCL, RESOLVE_BENEATH);
		made = true;
	}
	close(folder);
	if (fd == -ELOOP)
		return differs(e->path, err, "a link stands where a new file should be made");
	return fd < 0 ? fd : closing(fd, adopt(e, fd, made, err));
}

/* What lies in a directory of this run's own was made by it: plain files. */
static int check_below(const char *path, int fd, int flags, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return differs(path, err, "it is no regular file");
	return check_names(path, &st, flags, err);
}

static int open_below(const struct expected *e, const char *path, int flags, struct err *err)
{
	const int folder = open_folder(e, e->path, err);
	int fd;

	if (folder < 0)
		return folder;
	fd = open_plainly(folder, path + strlen(e->path) + 1, flags,
			  RESOLVE_BENEATH | RESOLVE_NO_XDEV);
	close(folder);
	if (fd == -ELOOP || fd == -EXDEV)
		return differs(path, err, "its path leads out of the directory");
	return fd < 0 ? fd : closing(fd, check_below(path, fd, flags, err));
}

static bool is_below(const char *path, const char *folder)
{
	const size_t length = strlen(folder);

	return !strncmp(path, folder, length) && path[length] == '/' && path[length + 1];
}

static struct expected *find(struct expected_list *list, const char *path)
{
	for (uint32_t i = 0; i < list->count; i++) {
		struct expected *e = &list->items[i];

		if (e->type == S_IFDIR ? is_below(path, e->path) : !strcmp(path, e->path))
			return e;
	}
	return NULL;
}

int expected_open(struct expected_list *list, const char *path, int flags, struct err *err)
{
	struct expected *e;
	int fd;

	if (!list || !list->count) {
		fd = open(path, flags | O_CLOEXEC, 0644);
		return fd < 0 ? -errno : fd;
	}
	e = find(list, path);
	if (!e)
		return differs(path, err, "it is no target of this run");
	if (e->type == S_IFDIR)
		return open_below(e, path, flags, err);
	return e->type ? open_known(e, flags, err) : open_new(e, flags, err);
}

int expected_stat(struct expected_list *list, const char *path, struct stat *st,
		  struct err *err)
{
	const int fd = expected_open(list, path, O_PATH, err);
	int code;

	if (fd < 0)
		return fd;
	code = fstat(fd, st) ? -errno : 0;
	close(fd);
	return code;
}

/* The directory of what is below one of this run's own. */
static int folder_below(const struct expected *e, const char *path, struct err *err)
{
	const int top = open_folder(e, e->path, err);
	char *parent = parent_of(path);
	int fd = parent ? top : -ENOMEM;

	if (top >= 0 && parent && strlen(parent) > strlen(e->path))
		fd = open_plainly(top, parent + strlen(e->path) + 1, O_PATH | O_DIRECTORY,
				  RESOLVE_BENEATH | RESOLVE_NO_XDEV);
	if (top >= 0 && fd != top)
		close(top);
	free(parent);
	if (fd == -ELOOP || fd == -EXDEV)
		return differs(path, err, "its path leads out of the directory");
	return fd;
}

/* No identity of its own is known: the file's tells whether it is the right one. */
static int folder_of_known(const struct expected *e, struct err *err)
{
	char *parent = parent_of(e->path);
	const int folder = parent ? open_plainly(AT_FDCWD, parent, O_PATH | O_DIRECTORY, 0)
				  : -ENOMEM;
	struct stat st;

	free(parent);
	if (folder < 0)
		return folder == -ELOOP ? differs(e->path, err, "a link stands in its path")
					: folder;
	if (!fstatat(folder, name_of(e->path), &st, AT_SYMLINK_NOFOLLOW) &&
	    (st.st_dev != e->device || st.st_ino != e->inode))
		return closing(folder, differs(e->path, err, "another file stands there"));
	return folder;
}

static int plain_folder(const char *path)
{
	char *parent = parent_of(path);
	const int fd = parent ? open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	free(parent);
	return fd < 0 ? -errno : fd;
}

int expected_folder(struct expected_list *list, const char *path, struct err *err)
{
	const struct expected *e;

	if (!list || !list->count)
		return plain_folder(path);
	e = find(list, path);
	if (!e)
		return differs(path, err, "it is no target of this run");
	if (e->type == S_IFDIR)
		return folder_below(e, path, err);
	return e->type ? folder_of_known(e, err) : folder_of_new(e, err);
}

int expected_mkdir(struct expected_list *list, const char *path)
{
	const struct expected *e;
	struct err err = { 0 };
	int folder, ret;

	if (!list || !list->count)
		return mkdir(path, 0755) && errno != EEXIST ? -errno : 0;
	e = find(list, path);
	if (!e || e->type != S_IFDIR)
		return 0;
	folder = folder_below(e, path, &err);
	if (folder < 0)
		return folder;
	ret = mkdirat(folder, name_of(path), 0755) && errno != EEXIST ? -errno : 0;
	close(folder);
	return ret;
}

void expected_unlink(struct expected_list *list, const char *path)
{
	const int folder = expected_folder(list, path, NULL);
	const char *name = name_of(path);
	struct stat st;

	if (folder < 0)
		return;
	if (!fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode))
		unlinkat(folder, name, 0);
	close(folder);
}
