/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_TARGET_FOLDER_H
#define IOGATE_TARGET_FOLDER_H

#include "target/target_file.h"
#include "util/err.h"

/*
 * The directory of a file that is not there yet: it has to be there, or, where
 * filename_format names it, at least one above it. Sets f->device. 0, or -errno with *err.
 */
int target_folder_check(const struct target *t, struct target_file *f, struct err *err);

/* Make what filename_format names and is not there. 0 or -errno. */
int target_folder_make(const struct target *t, const char *path);
/* The same for all files, of what the job's ioengine finds on a disk. 0, or -errno with *err. */
int target_folder_make_all(const struct target *t, struct err *err);

#endif
