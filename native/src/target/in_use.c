/* SPDX-License-Identifier: Apache-2.0 */
#include "target/in_use.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "target/mount_table.h"
#include "target/proc_text.h"
#include "target/stack.h"
#include "target/sysfs.h"

enum { LINE_MAX_BYTES = 4096, NAME_MAX_BYTES = 128 };

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
	return err_refuse(err, -EBUSY, "'%s' must not be written: %s; name an unused device",
			  path, what);
}

static int check_mounts(const char *path, const struct stack *s, struct err *err)
{
	char where[640], what[768];

	if (!mount_table_uses(s, where, sizeof(where)))
		return 0;
	snprintf(what, sizeof(what), "it, or a device that shares blocks with it, is mounted on %s",
		 where);
	return busy(err, path, what);
}

static bool is_file(const char *path, struct file_id file)
{
	struct stat st;

	return !stat(path, &st) && st.st_dev == file.device && st.st_ino == file.inode;
}

/* Of a stack, or, without one, of a file. */
static int check_swap(const char *path, const struct stack *s, struct file_id file,
		      struct err *err)
{
	char line[LINE_MAX_BYTES], name[LINE_MAX_BYTES];
	FILE *f = fopen("/proc/swaps", "re");
	bool used = false;

	while (f && !used && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%4095s", name) != 1)
			continue;
		proc_unescape(name);
		used = s ? mount_table_is_member(s, name) : is_file(name, file);
	}
	if (f)
		fclose(f);
	return used ? busy(err, path, "it holds active swap") : 0;
}

/* Device mapper, md, bcache and the like stand under holders/ of what they use. */
static int check_holders_of(const char *path, dev_t device, struct err *err)
{
	char folder[64], what[512], name[NAME_MAX_BYTES];
	struct dirent *entry = NULL;
	DIR *d;
	int ret = 0;

	sysfs_path(folder, sizeof(folder), device, "holders");
	d = opendir(folder);
	while (d && (entry = readdir(d)) && entry->d_name[0] == '.')
		;
	if (d && entry) {
		snprintf(what, sizeof(what), "%s is part of /dev/%s",
			 device_name(device, name, sizeof(name)), entry->d_name);
		ret = busy(err, path, what);
	}
	if (d)
		closedir(d);
	return ret;
}

/* The disk of a partition, or the partitions of a disk, beside the device itself. */
static bool is_family(dev_t device, dev_t other)
{
	dev_t disk;

	return device == other || (sysfs_disk_of(device, &disk) && disk == other) ||
	       (sysfs_disk_of(other, &disk) && disk == device);
}

static int check_holders(const char *path, const struct stack *s, struct err *err)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < s->count; i++) {
		for (uint32_t j = 0; !ret && s->members[i].bare && j < s->count; j++) {
			if (is_family(s->members[i].device, s->members[j].device))
				ret = check_holders_of(path, s->members[j].device, err);
		}
	}
	return ret;
}

static bool shares_with_below(const struct stack *s, const struct loop_backing *loop, bool *lower)
{
	for (uint32_t i = 0; i < s->loops_count; i++) {
		if (!s->loops[i].below)
			continue;
		if (loop_backing_shared(&s->loops[i], loop))
			return true;
		*lower = *lower || (loop->lower && s->loops[i].lower == loop->lower);
	}
	return false;
}

/* A loop device claims nothing of what it stands on. Two over parts of one device that
 * have no byte in common are in nobody's way. */
static int check_loops(const char *path, const struct stack *s, struct err *err)
{
	char what[256], name[NAME_MAX_BYTES];

	for (uint32_t i = 0; i < s->loops_count; i++) {
		const struct loop_backing *loop = &s->loops[i];
		bool apart = false;

		if (loop->below)
			continue;
		if (!shares_with_below(s, loop, &apart) &&
		    (apart || !loop->lower || !stack_has(s, loop->lower)))
			continue;
		snprintf(what, sizeof(what), "it is what %s stores its blocks in",
			 device_name(loop->loop, name, sizeof(name)));
		return busy(err, path, what);
	}
	return 0;
}

/* Does a folder have a member's name? */
static bool names_member(const struct stack *s, const char *folder)
{
	char path[640], name[NAME_MAX_BYTES];

	for (uint32_t i = 0; i < s->count; i++) {
		device_name(s->members[i].device, name, sizeof(name));
		snprintf(path, sizeof(path), "%s/%s", folder, strrchr(name, '/') + 1);
		if (!access(path, F_OK))
			return true;
	}
	return false;
}

/* Of a btrfs only one device is in the list of mounts; a journal is in none. */
static int check_members(const char *path, const struct stack *s, struct err *err)
{
	DIR *d = opendir("/sys/fs/btrfs");
	struct dirent *entry;
	char folder[512];
	bool used = false;

	while (d && !used && (entry = readdir(d))) {
		snprintf(folder, sizeof(folder), "/sys/fs/btrfs/%s/devices", entry->d_name);
		used = entry->d_name[0] != '.' && names_member(s, folder);
	}
	if (d)
		closedir(d);
	if (used)
		return busy(err, path, "it is a part of a btrfs that is mounted");
	if (names_member(s, "/proc/fs/jbd2"))
		return busy(err, path, "it is the journal of a filesystem that is mounted");
	return 0;
}

/* Of what lies below, the kernel knows claims that no table shows. */
static int check_claims(const char *path, const struct stack *s, struct err *err)
{
	char what[256], name[NAME_MAX_BYTES];

	for (uint32_t i = 1; i < s->count; i++) {
		if (!s->members[i].bare)
			continue;
		const char *node = device_name(s->members[i].device, name, sizeof(name));
		const int fd = open(node, O_RDONLY | O_EXCL | O_CLOEXEC);

		if (fd >= 0) {
			close(fd);
		} else if (errno == EBUSY) {
			snprintf(what, sizeof(what), "it has the blocks of %s, which is in use",
				 node);
			return busy(err, path, what);
		}
	}
	return 0;
}

int in_use_device(const char *path, dev_t device, struct err *err)
{
	static int (*const checks[])(const char *, const struct stack *, struct err *) = {
		check_mounts, check_members, check_holders, check_loops, check_claims,
	};
	struct stack *s = malloc(sizeof(*s));
	int ret;

	if (!s)
		return err_set(err, -ENOMEM, "'%s': no memory", path);
	stack_init(s, device);
	ret = check_swap(path, s, (struct file_id){ 0, 0 }, err);
	for (size_t i = 0; !ret && i < sizeof(checks) / sizeof(*checks); i++)
		ret = checks[i](path, s, err);
	free(s);
	return ret;
}

static int check_images(const char *path, struct file_id file, struct err *err)
{
	struct loop_backing *loops = calloc(LOOPS_MAX, sizeof(*loops));
	char what[256], name[NAME_MAX_BYTES];
	int ret = 0;

	if (!loops)
		return err_set(err, -ENOMEM, "'%s': no memory", path);
	const uint32_t count = loop_backings(loops);

	for (uint32_t i = 0; !ret && i < count; i++) {
		if (!loop_backing_is(&loops[i], file))
			continue;
		snprintf(what, sizeof(what), "it is what %s stores its blocks in",
			 device_name(loops[i].loop, name, sizeof(name)));
		ret = busy(err, path, what);
	}
	free(loops);
	return ret;
}

int in_use_file(const char *path, dev_t device, ino_t inode, struct err *err)
{
	struct file_id files[2] = { { device, inode }, { 0, 0 } };
	const int count = overlay_below(path, true, &files[1]) ? 2 : 1;
	int ret = 0;

	for (int i = 0; !ret && i < count; i++) {
		ret = check_swap(path, NULL, files[i], err);
		ret = ret ? ret : check_images(path, files[i], err);
	}
	return ret;
}
