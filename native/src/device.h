/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_DEVICE_H
#define IOGATE_DEVICE_H

#include <stdint.h>
#include <sys/types.h>

#include "err.h"

/*
 * Is it safe to write here? 0, or -EBUSY with *err saying who uses it: a mount, a
 * swap area, a holder (device mapper, md) or a loop device, of the device itself,
 * of one of its partitions, or of the disk that it is a partition of.
 */
int device_check_unused(const char *path, dev_t device, struct err *err);

/* The same for a file: it must be neither swap nor the image behind a loop device. */
int device_check_file_unused(const char *path, dev_t device, ino_t inode, struct err *err);

/* Size of an opened block device, and the smallest unit of direct I/O. */
int device_size(int fd, uint64_t *bytes);
uint32_t device_logical_block(dev_t device);	/* 512 when unknown */

#endif
