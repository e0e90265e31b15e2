/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_SYSFS_H
#define IOGATE_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* What sysfs says of block devices. */

/* Where `rest` is in the device's folder. */
void sysfs_path(char *path, size_t size, dev_t device, const char *rest);

/* The first line of a file, as far as it fits, without its end. */
bool sysfs_line(const char *path, char *line, size_t size);

/* The number of a device, from a file `dev`. */
bool sysfs_device(const char *path, dev_t *device);

/* The disk that a partition is of; false for a disk. */
bool sysfs_disk_of(dev_t partition, dev_t *disk);

/* Each device in a folder of a device ("" is its own, "slaves" what it stands on) whose entry
 * has a file of this name ("dev": any). */
void sysfs_each(dev_t device, const char *folder, const char *having,
		void (*visit)(void *context, dev_t device), void *context);

#endif
