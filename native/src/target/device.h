/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_DEVICE_H
#define IOGATE_DEVICE_H

#include <stdint.h>
#include <sys/types.h>

/* Size of an opened block device, and the smallest unit of direct I/O. */
int device_size(int fd, uint64_t *bytes);
uint32_t device_logical_block(dev_t device);	/* 512 when unknown */

#endif
