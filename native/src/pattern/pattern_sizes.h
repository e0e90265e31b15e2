/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_PATTERN_SIZES_H
#define IOGATE_PATTERN_SIZES_H

#include "job/job.h"

/* Whether its blocks have sizes of a range, which bssplit goes before. */
bool pattern_has_range(const struct job *job, unsigned dir);
/* The smallest and the largest block of a direction. */
struct size_range pattern_sizes(const struct job *job, unsigned dir);
/* What random offsets are multiples of, where that is not the smallest block; else 0. */
uint64_t pattern_alignment(const struct job *job, unsigned dir);
/* The smallest block of the job: what its offsets are multiples of. */
uint32_t pattern_unit(const struct job *job);
/* The largest one. */
uint64_t pattern_largest(const struct job *job);
/* How much of a file each direction finds a block in that fits. */
uint64_t pattern_least(const struct job *job);

#endif
