/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

#include <dirent.h>
#include <errno.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sysfs.h"

enum { FAMILY_MAX = 256, LINE_MAX_BYTES = 4096 };

/* A device with those that share its blocks: its disk and its partitions. */
struct family {
	dev_t devices[FAMILY_MAX];
	uint32_t count;
};

static bool family_has(const struct family *f, dev_t device)
{
	for (uint32_t i = 0; i < f->count; i++) {
		if (f->devices[i] == device)
			return true;
	}
	return false;
}

static void family_add(struct family *f, dev_t device)
{
	if (f->count < FAMILY_MAX && !family_has(f, device))
		f->devices[f->count++] = device;
}

static void family_add_partitions(struct family *f, dev_t disk)
{
	char path[512], folder[64];
	struct dirent *entry;
	dev_t device;
	DIR *d;

	sysfs_path(folder, sizeof(folder), disk, "");
	d = opendir(folder);
	while (d && (entry = readdir(d))) {
		snprintf(path, sizeof(path), "%s%s/partition", folder, entry->d_name);
		if (access(path, F_OK))
			continue;
		snprintf(path, sizeof(path), "%s%s/dev", folder, entry->d_name);
		if (sysfs_device(path, &device))
			family_add(f, device);
	}
	if (d)
		closedir(d);
}

/* A partition shares blocks with its disk, but not with its sisters. */
static void family_init(struct family *f, dev_t device)
{
	dev_t disk;

	f->count = 0;
	family_add(f, device);
	if (sysfs_disk_of(device, &disk))
		family_add(f, disk);
	else
		family_add_partitions(f, device);
}

static const char *device_name(dev_t device, char *name, size_t size)
{
	char path[64], line[LINE_MAX_BYTES];
	FILE *f;

	snprintf(name, size, "%u:%u", major(device), minor(device));
	sysfs_path(path, sizeof(path), device, "uevent");
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "DEVNAME=", 8))
			snprintf(name, size, "/dev/%.100s", line + 8);
	}
	if (f)
		fclose(f);
	return name;
}

static int busy(struct err *err, const char *path, const char *what)
{
	return err_set(err, -EBUSY, "'%s' must not be written: %s; name an unused device",
		       path, what);
}

/* The kernel writes spaces and the like as \040 in mount and swap tables. */
static void unescape(char *s)
{
	char *out = s;

	for (; *s; s++) {
		unsigned value;

		if (*s == '\\' && sscanf(s + 1, "%3o", &value) == 1) {
			*out++ = (char)value;
			s += 3;
		} else {
			*out++ = *s;
		}
	}
	*out = '\0';
}

static bool path_in_family(const char *path, const struct family *f)
{
	struct stat st;

	return path[0] == '/' && !stat(path, &st) && S_ISBLK(st.st_mode) &&
	       family_has(f, st.st_rdev);
}

/* A line of mountinfo: id parent major:minor root mountpoint options … - type source …
 * btrfs and others mount under an anonymous number, hence the look at the source. */
static bool mount_uses(char *line, const struct family *f, char *mountpoint, size_t size)
{
	unsigned major_number, minor_number;
	char point[LINE_MAX_BYTES], source[LINE_MAX_BYTES];
	const char *rest = strstr(line, " - ");

	if (sscanf(line, "%*d %*d %u:%u %*s %4095s", &major_number, &minor_number, point) != 3)
		return false;
	if (!rest || sscanf(rest, " - %*s %4095s", source) != 1)
		source[0] = '\0';
	unescape(point);
	unescape(source);
	snprintf(mountpoint, size, "%.500s", point);
	return family_has(f, makedev(major_number, minor_number)) || path_in_family(source, f);
}

static int check_mounts(const char *path, const struct family *family, struct err *err)
{
	char line[2 * LINE_MAX_BYTES], point[512], what[640];
	FILE *f = fopen("/proc/self/mountinfo", "re");
	bool used = false;

	while (f && !used && fgets(line, sizeof(line), f))
		used = mount_uses(line, family, point, sizeof(point));
	if (f)
		fclose(f);
	if (!used)
		return 0;
	snprintf(what, sizeof(what), "it, its disk or a partition of it is mounted on %s", point);
	return busy(err, path, what);
}

static int check_swap(const char *path, const struct family *family, dev_t file_device,
		      ino_t inode, struct err *err)
{
	char line[LINE_MAX_BYTES], name[LINE_MAX_BYTES];
	FILE *f = fopen("/proc/swaps", "re");
	bool used = false;
	struct stat st;

	while (f && !used && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%4095s", name) != 1)
			continue;
		unescape(name);
		used = family ? path_in_family(name, family)
			      : !stat(name, &st) && st.st_dev == file_device && st.st_ino == inode;
	}
	if (f)
		fclose(f);
	return used ? busy(err, path, "it holds active swap") : 0;
}

/* Device mapper, md, bcache and the like stand under holders/ of what they use. */
static int check_holders(const char *path, const struct family *family, struct err *err)
{
	char folder[64], what[512], name[128];
	struct dirent *entry = NULL;
	DIR *d;

	for (uint32_t i = 0; i < family->count; i++) {
		sysfs_path(folder, sizeof(folder), family->devices[i], "holders");
		d = opendir(folder);
		while (d && (entry = readdir(d)) && entry->d_name[0] == '.')
			;
		if (d && entry)
			snprintf(what, sizeof(what), "%s is part of /dev/%s",
				 device_name(family->devices[i], name, sizeof(name)),
				 entry->d_name);
		if (d)
			closedir(d);
		if (d && entry)
			return busy(err, path, what);
	}
	return 0;
}

static bool loop_backed_by(const char *loop, const struct family *family, dev_t file_device,
			   ino_t inode)
{
	char path[512], backing[LINE_MAX_BYTES];
	struct stat st;

	snprintf(path, sizeof(path), "/sys/block/%s/loop/backing_file", loop);
	if (!sysfs_line(path, backing, sizeof(backing)))
		return false;
	return family ? path_in_family(backing, family)
		      : !stat(backing, &st) && st.st_dev == file_device && st.st_ino == inode;
}

static int check_loops(const char *path, const struct family *family, dev_t file_device,
		       ino_t inode, struct err *err)
{
	DIR *d = opendir("/sys/block");
	struct dirent *entry;
	char what[512];
	int ret = 0;

	while (d && !ret && (entry = readdir(d))) {
		if (strncmp(entry->d_name, "loop", 4) ||
		    !loop_backed_by(entry->d_name, family, file_device, inode))
			continue;
		snprintf(what, sizeof(what), "it is what /dev/%s stores its blocks in",
			 entry->d_name);
		ret = busy(err, path, what);
	}
	if (d)
		closedir(d);
	return ret;
}

int device_check_unused(const char *path, dev_t device, struct err *err)
{
	struct family family;
	int ret;

	family_init(&family, device);
	ret = check_mounts(path, &family, err);
	if (!ret)
		ret = check_swap(path, &family, 0, 0, err);
	if (!ret)
		ret = check_holders(path, &family, err);
	if (!ret)
		ret = check_loops(path, &family, 0, 0, err);
	return ret;
}

int device_check_file_unused(const char *path, dev_t device, ino_t inode, struct err *err)
{
	const int ret = check_swap(path, NULL, device, inode, err);

	return ret ? ret : check_loops(path, NULL, device, inode, err);
}

int device_size(int fd, uint64_t *bytes)
{
	return ioctl(fd, BLKGETSIZE64, bytes) ? -errno : 0;
}

/* A partition has no queue of its own: its disk's counts. */
uint32_t device_logical_block(dev_t device)
{
	static const char *const places[] = {
		"queue/logical_block_size", "../queue/logical_block_size", NULL
	};
	char path[128], line[64];

	for (const char *const *place = places; *place; place++) {
		sysfs_path(path, sizeof(path), device, *place);
		const bool known = sysfs_line(path, line, sizeof(line));
		const uint32_t bytes = known ? (uint32_t)strtoul(line, NULL, 10) : 0;

		if (bytes)
			return bytes;
	}
	return 512;
}
