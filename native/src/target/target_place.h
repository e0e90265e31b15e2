/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_TARGET_PLACE_H
#define IOGATE_TARGET_PLACE_H

#include "engines/engine.h"
#include "target/target_file.h"
#include "util/err.h"

/*
 * A file as its ioengine knows it. With ENGINE_BY_NAME its directory is open, so that all calls
 * on its name are made where it was looked up; where --expect names the file, or what it is
 * below, the directory is the one that is expected.
 */

/* Not open, nor its directory. */
void target_describe(const struct target *t, const struct target_file *f,
		     struct engine_file *out);

/* Described, and its directory open where the ioengine asks for it. 0; -ENOENT without a text
 * where there is no such directory; or -errno with *err. */
int target_place(const struct target *t, const struct target_file *f, struct engine_file *out,
		 struct err *err);
void target_place_close(const struct target *t, struct engine_file *file);

/* The same of all files of the target: those of one directory share its descriptor. After a
 * failure they have to be closed, too. */
int target_places(const struct target *t, struct engine_file *files, struct err *err);
void target_places_close(const struct target *t, struct engine_file *files);

#endif
