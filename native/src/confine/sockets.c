/* SPDX-License-Identifier: Apache-2.0 */
#include "confine/sockets.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "confine/mounts.h"

enum { LIST_BYTES_MAX = 4 << 20, FIELDS_BEFORE_PATH = 7, DEPTH_MAX = 8 };
static const char RUN[] = "/run", USERS[] = "/run/user";

char *sockets_listed(void)
{
	const int fd = open("/proc/self/net/unix", O_RDONLY | O_CLOEXEC);
	char *text = fd >= 0 ? malloc(LIST_BYTES_MAX + 1) : NULL;
	size_t length = 0;
	ssize_t got = text ? 1 : 0;

	while (got > 0 && length < LIST_BYTES_MAX) {
		got = read(fd, text + length, LIST_BYTES_MAX - length);
		length += got > 0 ? (size_t)got : 0;
	}
	if (text)
		text[length] = '\0';
	if (fd >= 0)
		close(fd);
	return text;
}

/* Of a line of /proc/net/unix; NULL where it has none that begins at the root. */
static char *path_of(char *line)
{
	for (int i = 0; i < FIELDS_BEFORE_PATH; i++) {
		line += strspn(line, " ");
		line += strcspn(line, " ");
	}
	line += strspn(line, " ");
	return *line == '/' ? line : NULL;
}

static int cover(const char *path)
{
	struct stat st;
	int tree, ret;

	if (lstat(path, &st) || !S_ISSOCK(st.st_mode))
		return 0;	/* gone, or where this user does not get */
	tree = tree_clone(AT_FDCWD, "/dev/null", 0);
	if (tree < 0)
		return tree;
	ret = tree_move(tree, AT_FDCWD, path);
	close(tree);
	return ret == -ENOENT || ret == -EACCES ? 0 : ret;
}

static int cover_folder(const char *path, int depth);

/* A thing in `folder`. What is mounted there is another's, but the folders of users. */
static int cover_entry(const char *folder, const struct dirent *entry, dev_t device, int depth)
{
	char path[PATH_MAX];
	struct stat st;

	if (entry->d_type != DT_SOCK && entry->d_type != DT_DIR)
		return 0;
	if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
	    snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) >= PATH_MAX)
		return 0;
	if (entry->d_type == DT_SOCK)
		return cover(path);
	if (lstat(path, &st) || (st.st_dev != device && strcmp(folder, USERS)))
		return 0;
	return cover_folder(path, depth + 1);
}

static int cover_folder(const char *path, int depth)
{
	DIR *folder = depth < DEPTH_MAX ? opendir(path) : NULL;
	const struct dirent *entry;
	struct stat st;
	int ret = 0;

	if (folder && !fstat(dirfd(folder), &st)) {
		while (!ret && (entry = readdir(folder)))
			ret = cover_entry(path, entry, st.st_dev, depth);
	}
	if (folder)
		closedir(folder);
	return ret;
}

int sockets_cover(char *listed, struct err *err)
{
	char *rest = NULL;
	int ret = cover_folder(RUN, 0);

	for (char *line = listed ? strtok_r(listed, "\n", &rest) : NULL; line && !ret;
	     line = strtok_r(NULL, "\n", &rest)) {
		const char *path = path_of(line);

		ret = path ? cover(path) : 0;
	}
	return ret ? err_set(err, ret, "sockets cannot be covered: %s", strerror(-ret)) : 0;
}
