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

/* Make what filename_format, or the job's name in it, says of the directories of all files and is
 * not there, of what the job's ioengine finds on a disk. 0, or -errno with *err. */
int target_folder_make_all(const struct target *t, struct err *err);

#endif
