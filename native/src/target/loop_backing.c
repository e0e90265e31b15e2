/* SPDX-License-Identifier: Apache-2.0 */
#include "target/loop_backing.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target/sysfs.h"

enum { LINE_MAX_BYTES = 4096 };

static bool ask_kernel(const char *name, struct loop_info64 *info)
{
	char path[300];
	int fd;
	bool told;

	snprintf(path, sizeof(path), "/dev/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	told = !ioctl(fd, LOOP_GET_STATUS64, info);
	close(fd);
	return told;
}

static void by_path(struct loop_backing *loop, const char *backing)
{
	struct stat st;

	loop->end_bytes = UINT64_MAX;
	if (stat(backing, &st))
		return;
	if (S_ISBLK(st.st_mode)) {
		loop->lower = st.st_rdev;
	} else {
		loop->image = (struct file_id){ st.st_dev, st.st_ino };
	}
}

static void by_kernel(struct loop_backing *loop, const struct loop_info64 *info)
{
	loop->start_bytes = info->lo_offset;
	loop->end_bytes = info->lo_sizelimit ? info->lo_offset + info->lo_sizelimit : UINT64_MAX;
	loop->lower = info->lo_rdevice;
	if (!info->lo_rdevice)
		loop->image = (struct file_id){ info->lo_device, info->lo_inode };
}

static bool is_same(struct file_id a, struct file_id b)
{
	return a.inode && a.inode == b.inode && a.device == b.device;
}

/* Where the path still leads to the image. */
static void find_below(struct loop_backing *loop, const char *backing)
{
	struct stat st;

	if (!stat(backing, &st) &&
	    is_same(loop->image, (struct file_id){ st.st_dev, st.st_ino }))
		overlay_below(backing, false, &loop->below_image);
}

static bool read_loop(struct loop_backing *loop, const char *name)
{
	char path[320], backing[LINE_MAX_BYTES];
	struct loop_info64 info;

	*loop = (struct loop_backing){ 0 };
	snprintf(path, sizeof(path), "/sys/block/%s/loop/backing_file", name);
	if (!sysfs_line(path, backing, sizeof(backing)))
		return false;
	snprintf(path, sizeof(path), "/sys/block/%s/dev", name);
	if (!sysfs_device(path, &loop->loop))
		return false;
	if (ask_kernel(name, &info))
		by_kernel(loop, &info);
	else
		by_path(loop, backing);
	find_below(loop, backing);
	return true;
}

uint32_t loop_backings(struct loop_backing loops[LOOPS_MAX])
{
	DIR *d = opendir("/sys/block");
	struct dirent *entry;
	uint32_t count = 0;

	while (d && count < LOOPS_MAX && (entry = readdir(d))) {
		if (!strncmp(entry->d_name, "loop", 4) && read_loop(&loops[count], entry->d_name))
			count++;
	}
	if (d)
		closedir(d);
	return count;
}

bool loop_backing_is(const struct loop_backing *loop, struct file_id file)
{
	return is_same(loop->image, file) || is_same(loop->below_image, file);
}

bool loop_backing_shared(const struct loop_backing *a, const struct loop_backing *b)
{
	const bool same = (a->lower && a->lower == b->lower) ||
			  loop_backing_is(a, b->image) || loop_backing_is(a, b->below_image);

	return same && a->start_bytes < b->end_bytes && b->start_bytes < a->end_bytes;
}
