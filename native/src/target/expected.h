/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_EXPECTED_H
#define IOGATE_EXPECTED_H

#include <stdint.h>
#include <sys/stat.h>

#include "util/err.h"

/*
 * What must stand where a job opens files and devices: --expect, once for each target.
 * Its value is
 *
 *	KIND DEVICE INODE RDEV DISKSEQ SIZE PATH
 *
 * KIND is block, file, directory, or new for a file that is not there yet. DEVICE
 * (major:minor of the filesystem) and INODE tell what stands at PATH; of a new file they are
 * its directory's. RDEV (major:minor), DISKSEQ and SIZE (bytes) tell a block device, whatever
 * its node; they are 0:0, 0 and 0 for all else, and a DISKSEQ of 0 is not compared. PATH is
 * absolute, goes to the end of the text and holds no link.
 *
 * With a list that is not empty, nothing else is opened: neither another path, nor a link, nor
 * what lies on another filesystem below a directory. What is opened is compared on the open
 * descriptor, before a byte of it is read or written. A file with a second name is not
 * opened to be written.
 */
enum { EXPECTED_MAX = 64 };

struct expected {
	mode_t type;			/* S_IFBLK, S_IFREG, S_IFDIR; 0: a file not there yet */
	dev_t device, rdev;
	ino_t inode;
	uint64_t diskseq, size_bytes;
	const char *path;		/* points into the text that was added */
};

struct expected_list {
	struct expected items[EXPECTED_MAX];
	uint32_t count;
};

/* `text` is kept. 0, or -EINVAL with *err. */
int expected_add(struct expected_list *list, const char *text, struct err *err);

/* As open(path, flags | O_CLOEXEC, 0644): a descriptor, or -errno. *err is set, as a refusal,
 * when anything else stands there than is expected. A new file that is made, or that is there
 * empty and with one name, is what is expected from then on. list may be NULL. */
int expected_open(struct expected_list *list, const char *path, int flags, struct err *err);

/* fstat of what expected_open points at. 0, or -errno as there. */
int expected_stat(struct expected_list *list, const char *path, struct stat *st,
		  struct err *err);

/* The directory that `path` is in: an O_PATH descriptor, or -errno as of expected_open. What
 * stands at `path` is the file that is expected there, or nothing. */
int expected_folder(struct expected_list *list, const char *path, struct err *err);

/* As mkdir(path, 0755): 0, also where it is there; or -errno. With a list, only directories below
 * one of it are made, and all others are left as they are. */
int expected_mkdir(struct expected_list *list, const char *path);

/* Removes a regular file, if it is one, where expected_open would have made it. */
void expected_unlink(struct expected_list *list, const char *path);

#endif
