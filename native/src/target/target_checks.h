/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_TARGET_CHECKS_H
#define IOGATE_TARGET_CHECKS_H

#include "target/target_file.h"
#include "util/err.h"

/*
 * May the job do with a file or device what it asks for? f has all that is known of it, its
 * extent included. 0, or -errno with *err; nothing is changed.
 */
int target_checks(const struct target *t, const struct target_file *f, bool readonly,
		  struct err *err);

#endif
