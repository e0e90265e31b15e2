/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_OVERLAY_H
#define IOGATE_OVERLAY_H

#include <stdbool.h>
#include <sys/types.h>

/* A file as the kernel tells it from others. */
struct file_id {
	dev_t device;
	ino_t inode;		/* 0: none */
};

/*
 * Through an overlay a file is seen under another number. The file below it whose bytes it has:
 * that in the upper directory, and of one that is only read that in the first lower one. What
 * is written and is below alone is copied up first. False where there is none, or where it
 * cannot be seen from here, as in a container.
 */
bool overlay_below(const char *path, bool written, struct file_id *below);

#endif
