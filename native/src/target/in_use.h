/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_IN_USE_H
#define IOGATE_IN_USE_H

#include <sys/types.h>

#include "util/err.h"

/*
 * Is it safe to write to this device? 0, or -EBUSY with *err saying who uses it, or one
 * whose blocks it has (stack.h): a mount in any namespace, swap, a holder (device mapper,
 * md), a btrfs, a journal, or a loop device. What lies below loop devices must also be
 * free to be claimed; the device itself is claimed by device_claims.h.
 *
 * Nobody can know what a virtual machine or another host does with it.
 */
int in_use_device(const char *path, dev_t device, struct err *err);

/* The same for a file, by where it lives and its inode: neither it nor, on an overlay, the file
 * that is written in its place may be swap or the image behind a loop device. */
int in_use_file(const char *path, dev_t device, ino_t inode, struct err *err);

#endif
