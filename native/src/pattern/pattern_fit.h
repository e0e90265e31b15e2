/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_PATTERN_FIT_H
#define IOGATE_PATTERN_FIT_H

#include "pattern/pattern_state.h"
#include "util/err.h"

/*
 * Whether there is a block that fits, before anything is made. As in fio, a job of blocks of
 * several sizes does those that fit.
 */

/* What zones cannot be done with, whatever the files are; or NULL. */
const char *pattern_zones_complaint(const struct job *job);
/* Whether a part of a file, which is called so, has room for the job: 0, or -EINVAL with *err. */
int pattern_fit(const struct job *job, const struct pattern_extent *extent, const char *name,
		struct err *err);
/* The whole zones of zonemode=zbd in a part of a file; without one, size_bytes is 0. */
struct pattern_extent pattern_fit_zones(const struct job *job,
					const struct pattern_extent *extent);

#endif
