/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_TARGET_DONOR_H
#define IOGATE_TARGET_DONOR_H

#include "target/target_file.h"
#include "util/err.h"

/* The donor of an ioengine that has one (engine.h); without one all of these do nothing. */

/* Name it, and check what needs no write, after the files of the job: it is a regular file, or not
 * there yet, none of them, on the filesystem of all of them, and in no other use. */
int target_donor_init(struct target *t, struct err *err);

/* As files[files_count], closed; and open, made where it is not there. */
void target_donor_describe(const struct target *t, struct engine_file *files);
int target_donor_open(const struct target *t, struct engine_file *files, struct err *err);
void target_donor_close(const struct target *t, struct engine_file *files);

#endif
