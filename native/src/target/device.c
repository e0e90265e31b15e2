/* SPDX-License-Identifier: Apache-2.0 */
#include "target/device.h"

#include <errno.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "target/sysfs.h"

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
