/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_SKEW_H
#define IOGATE_SKEW_H

#include "job/job.h"
#include "pattern/zipf.h"
#include "util/random.h"

/*
 * Which of `count` things comes next where some are drawn more often: blocks of a file, or files.
 * Ranks by Zipf's law; by a power h, of which 1 - h of the draws fall on the part h of all, again
 * and again (the self-similar distribution of J. Gray and others, "Quickly generating
 * billion-record synthetic databases", SIGMOD 1994); or a bell, cut off at both ends. The first
 * ranks lie anywhere, or one after the other from the centre on.
 */
struct skewed {
	struct skew how;
	uint64_t count;
	struct zipf zipf;
	struct permutation scatter;
	double power;
};

void skewed_init(struct skewed *s, const struct skew *how, uint64_t count, struct random *seed);
uint64_t skewed_draw(const struct skewed *s, struct random *r);

/* A unit of random_distribution=zoned of as many as the window holds. */
uint64_t zones_draw(const struct access_zones *zones, uint64_t units, uint32_t unit_bytes,
		    struct random *r);

#endif
