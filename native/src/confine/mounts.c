/* SPDX-License-Identifier: Apache-2.0 */
#include "confine/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "confine/place.h"

/* Of linux/mount.h, which glibc's sys/mount.h cannot always stand beside. */
#ifndef MOUNT_ATTR_RDONLY
#define MOUNT_ATTR_RDONLY 0x1
#define MOUNT_ATTR_NOSUID 0x2
#define MOUNT_ATTR_NODEV 0x4
#define MOUNT_ATTR_NOEXEC 0x8
#define OPEN_TREE_CLONE 1
#define OPEN_TREE_CLOEXEC O_CLOEXEC
#define MOVE_MOUNT_F_EMPTY_PATH 0x4
#define MOVE_MOUNT_T_EMPTY_PATH 0x40
#endif
#ifndef AT_RECURSIVE
#define AT_RECURSIVE 0x8000
#endif

struct attributes {		/* struct mount_attr of linux/mount.h */
	uint64_t set, clear, propagation, userns_fd;
};

enum { DEVICES_MAX = 8 };
#define DEV "/dev/"
const char *const device_names[] = { "null", "zero", "full", "random", "urandom", NULL };
static const char *const device_links[][2] = {
	{ "/proc/self/fd", "/dev/fd" }, { "/proc/self/fd/0", "/dev/stdin" },
	{ "/proc/self/fd/1", "/dev/stdout" }, { "/proc/self/fd/2", "/dev/stderr" },
};

static bool write_line(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	const bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return done;
}

/* This user is itself there, too. */
static bool map_user(uid_t uid, gid_t gid)
{
	char line[64];

	snprintf(line, sizeof(line), "%u %u 1", uid, uid);
	if (!write_line("/proc/self/setgroups", "deny") ||
	    !write_line("/proc/self/uid_map", line))
		return false;
	snprintf(line, sizeof(line), "%u %u 1", gid, gid);
	return write_line("/proc/self/gid_map", line);
}

unsigned namespaces_enter(unsigned wanted, bool *through_user)
{
	const int flags = (wanted & LAYER_NAMESPACES ? CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS
						     : 0) |
			  (wanted & LAYER_NETWORK ? CLONE_NEWNET : 0) |
			  (wanted & (LAYER_PROCESSES | LAYER_FAMILY) ? CLONE_NEWPID : 0);
	const unsigned given = wanted & (LAYER_NAMESPACES | LAYER_NETWORK | LAYER_PROCESSES |
					 LAYER_FAMILY);
	const uid_t uid = geteuid();
	const gid_t gid = getegid();

	*through_user = false;
	if (!flags || !unshare(flags))
		return given;
	if (unshare(CLONE_NEWUSER | flags))
		return 0;
	*through_user = true;
	return map_user(uid, gid) ? given : 0;
}

static int set_attributes(int fd, const char *path, unsigned flags, struct attributes *attributes)
{
	return syscall(SYS_mount_setattr, fd, path, flags, attributes, sizeof(*attributes))
	       ? -errno : 0;
}

int tree_clone(int fd, const char *path, unsigned flags)
{
	const long tree = syscall(SYS_open_tree, fd, path,
				  flags | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);

	return tree < 0 ? -errno : (int)tree;
}

int tree_move(int tree, int fd, const char *path)
{
	const unsigned flags = MOVE_MOUNT_F_EMPTY_PATH | (*path ? 0 : MOVE_MOUNT_T_EMPTY_PATH);

	return syscall(SYS_move_mount, tree, "", fd, path, flags) ? -errno : 0;
}

static int clone_place(struct place *place)
{
	const bool folder = place->kind == PLACE_DIRECTORY;
	const bool writable = place->writable && place->kind != PLACE_BLOCK;
	/* A node is written on a read-only mount, too. */
	struct attributes attributes = {
		.set = MOUNT_ATTR_NOSUID | (place->kind == PLACE_BLOCK ? 0 : MOUNT_ATTR_NODEV) |
		       (writable ? 0 : MOUNT_ATTR_RDONLY),
	};
	const unsigned flags = AT_EMPTY_PATH | (folder ? AT_RECURSIVE : 0);

	place->tree = tree_clone(place->fd, "", flags);
	return place->tree < 0 ? place->tree : set_attributes(place->tree, "", flags, &attributes);
}

static int clone_device(const char *name)
{
	struct attributes attributes = { .set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_RDONLY };
	char path[64];
	int tree;

	snprintf(path, sizeof(path), "/dev/%s", name);
	tree = tree_clone(AT_FDCWD, path, 0);
	if (tree >= 0)
		set_attributes(tree, "", AT_EMPTY_PATH, &attributes);
	return tree;
}

static void make_parents(const char *path)
{
	char *copy = strdup(path);

	for (char *slash = copy ? strchr(copy + sizeof(DEV) - 1, '/') : NULL; slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(copy, 0755);
		*slash = '/';
	}
	free(copy);
}

/* What a tree below /dev is moved to. */
static int make_point(const char *path, bool folder)
{
	int fd;

	make_parents(path);
	if (folder)
		return mkdir(path, 0755) && errno != EEXIST ? -errno : 0;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static int fill_dev(const int *trees)
{
	char path[64];
	int ret = 0;

	for (size_t i = 0; !ret && device_names[i]; i++) {
		if (trees[i] < 0)
			continue;
		snprintf(path, sizeof(path), "/dev/%s", device_names[i]);
		ret = make_point(path, false);
		ret = ret ? ret : tree_move(trees[i], AT_FDCWD, path);
	}
	for (size_t i = 0; !ret && i < sizeof(device_links) / sizeof(*device_links); i++)
		ret = symlink(device_links[i][0], device_links[i][1]) ? -errno : 0;
	return ret;
}

static bool is_below(const char *path, const char *folder)
{
	const size_t length = strlen(folder);

	return !strncmp(path, folder, length) && (path[length] == '/' || !strcmp(folder, "/"));
}

static int place_tree(const struct place *place)
{
	int ret;

	if (!is_below(place->path, "/dev"))
		return tree_move(place->tree, place->fd, "");
	ret = make_point(place->path, place->kind == PLACE_DIRECTORY);
	return ret ? ret : tree_move(place->tree, AT_FDCWD, place->path);
}

static int mount_dev(const struct confine_plan *p, const int *trees)
{
	struct attributes closed = { .set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV };
	int ret = mount("tmpfs", "/dev", "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=755,size=256k")
	      ? -errno : fill_dev(trees);
	for (size_t i = 0; !ret && i < p->places_count; i++) {
		if (is_below(p->places[i].path, "/dev"))
			ret = place_tree(&p->places[i]);
	}
	return ret ? ret : set_attributes(AT_FDCWD, "/dev", 0, &closed);
}

/* What is only to be read and lies in a place that may be written. */
static int cover_reads(const struct confine_plan *p, const struct place *place)
{
	struct attributes closed = { .set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV };
	int ret = 0;

	for (size_t i = 0; !ret && i < p->reads.count; i++) {
		const char *path = p->reads.at[i];

		if (!is_below(path, place->path) || access(path, F_OK))
			continue;
		const int tree = tree_clone(AT_FDCWD, path, AT_RECURSIVE);

		ret = tree < 0 ? tree : set_attributes(tree, "", AT_EMPTY_PATH | AT_RECURSIVE,
						       &closed);
		ret = ret ? ret : tree_move(tree, AT_FDCWD, path);
		if (tree >= 0)
			close(tree);
	}
	return ret;
}

static int mount_places(const struct confine_plan *p)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < p->places_count; i++) {
		const struct place *place = &p->places[i];

		if (!is_below(place->path, "/dev"))
			ret = place_tree(place);
	}
	for (size_t i = 0; !ret && i < p->places_count; i++) {
		if (p->places[i].kind == PLACE_DIRECTORY && p->places[i].writable)
			ret = cover_reads(p, &p->places[i]);
	}
	return ret;
}

static int close_all(void)
{
	struct attributes closed = { .set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
					    MOUNT_ATTR_NODEV };

	return set_attributes(AT_FDCWD, "/", AT_RECURSIVE, &closed);
}

/* Paths from the working directory on must lead through the new mounts. */
static int return_to(const char *folder)
{
	return folder && chdir(folder) ? -errno : 0;
}

/* Before anything is closed: a mount without devices has clones without devices. */
static int clone_all(struct confine_plan *p, int *devices)
{
	int ret = 0;

	for (size_t i = 0; device_names[i]; i++)
		devices[i] = clone_device(device_names[i]);
	for (size_t i = 0; !ret && i < p->places_count; i++)
		ret = clone_place(&p->places[i]);
	return ret;
}

static void close_trees(const struct confine_plan *p, const int *devices)
{
	for (size_t i = 0; device_names[i]; i++) {
		if (devices[i] >= 0)
			close(devices[i]);
	}
	for (size_t i = 0; i < p->places_count; i++) {
		if (p->places[i].tree >= 0)
			close(p->places[i].tree);
	}
}

int mounts_apply(struct confine_plan *p, struct err *err)
{
	/* What is unmounted elsewhere goes here, too: a copy would keep its device busy. */
	struct attributes alone = { .propagation = MS_SLAVE };
	char *here = getcwd(NULL, 0);
	int ret = set_attributes(AT_FDCWD, "/", AT_RECURSIVE, &alone);
	int devices[DEVICES_MAX];

	if (!ret) {
		ret = clone_all(p, devices);
		ret = ret ? ret : close_all();
		ret = ret ? ret : mount_dev(p, devices);
		ret = ret ? ret : mount_places(p);
		ret = ret ? ret : return_to(here);
		close_trees(p, devices);
	}
	free(here);
	return ret ? err_set(err, ret, "mounts of its own cannot be made: %s", strerror(-ret)) : 0;
}
