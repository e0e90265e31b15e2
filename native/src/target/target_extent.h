/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_TARGET_EXTENT_H
#define IOGATE_TARGET_EXTENT_H

#include "target/target_file.h"
#include "util/err.h"

/* Where the clone's part of a file ends; what fills a filesystem has no end before it ran. */
uint64_t target_end_in(const struct target *t, const char *path);

/* Set which bytes of a file a job works on, f->extent. size= is shared among the files; unset,
 * it is all that is there. 0, or -errno with *err: no size is known, or there is none left. */
int target_extent(const struct target *t, struct target_file *f, struct err *err);

#endif
