/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_CONTENT_H
#define IOGATE_CONTENT_H

#include "job/job.h"
#include "util/random.h"

/*
 * What a job's writes and laid-out files hold, where options of buffers say so: zeros, noise,
 * bytes that repeat, a share that compresses, and blocks that were written before.
 */
struct content {
	const struct job *job;
	struct random noise, last, choices;	/* last: where the last block of its own began */
	bool begun;
	uint64_t base, unique;			/* of a working set: the number of the next block */
};

/* Whether options of buffers say what blocks hold. */
bool content_is_made(const struct job *job);
/* Whether each write gets its data from here. Else that of a job that verifies has what it is
 * known again by (verify/filling.h): verify_pattern, whatever buffers are said to hold, or noise
 * of its own. Another one's buffer keeps its noise, one word a sector aside. */
bool content_is_written(const struct job *job);
/* zero_buffers yields to what says more. */
bool content_is_zero(const struct job *job);
void content_init(struct content *c, const struct job *job, uint64_t seed, uint32_t clone);
/* The buffer has room for whole words of 8 bytes. */
void content_fill(struct content *c, void *buffer, uint32_t length);

#endif
