/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/pattern_sizes.h"

bool pattern_has_range(const struct job *job, unsigned dir)
{
	const struct size_range *range = &job->block.ranges[dir];

	return !job->block.splits[dir].count && range->max_bytes > range->min_bytes;
}

struct size_range pattern_sizes(const struct job *job, unsigned dir)
{
	const struct block_split *s = &job->block.splits[dir];
	struct size_range sizes = { job->block.bytes[dir], job->block.bytes[dir] };

	if (pattern_has_range(job, dir))
		sizes = job->block.ranges[dir];
	if (s->count)
		sizes = (struct size_range){ s->shares[0].bytes, s->shares[0].bytes };
	for (uint32_t i = 1; i < s->count; i++) {
		const uint32_t bytes = s->shares[i].bytes;

		sizes.min_bytes = bytes < sizes.min_bytes ? bytes : sizes.min_bytes;
		sizes.max_bytes = bytes > sizes.max_bytes ? bytes : sizes.max_bytes;
	}
	return sizes;
}

uint64_t pattern_alignment(const struct job *job, unsigned dir)
{
	const uint64_t align = job->block.align[dir];

	return align == pattern_sizes(job, dir).min_bytes ? 0 : align;
}

uint32_t pattern_unit(const struct job *job)
{
	uint64_t bytes = UINT32_MAX;

	JOB_DIRS(dir, job) {
		const uint64_t least = pattern_sizes(job, dir).min_bytes;

		bytes = least < bytes ? least : bytes;
	}
	return (uint32_t)bytes;
}

uint64_t pattern_largest(const struct job *job)
{
	uint64_t bytes = 0;

	JOB_DIRS(dir, job) {
		const uint64_t most = pattern_sizes(job, dir).max_bytes;

		bytes = most > bytes ? most : bytes;
	}
	return bytes;
}

/* Of a mix of 0 or 100 % one direction never comes. */
static bool is_done(const struct job *job, unsigned dir)
{
	if (!job_does(job, DIR_READ) || !job_does(job, DIR_WRITE) || job_mixes(job))
		return job_does(job, dir);
	return dir == (job->rwmixread_percent ? DIR_READ : DIR_WRITE);
}

/* A share of 0 % never comes. */
static uint64_t least_drawn(const struct job *job, unsigned dir)
{
	const struct block_split *s = &job->block.splits[dir];
	uint64_t bytes = UINT64_MAX;

	for (uint32_t i = 0; i < s->count; i++) {
		if (s->shares[i].percent && s->shares[i].bytes < bytes)
			bytes = s->shares[i].bytes;
	}
	return bytes < UINT64_MAX ? bytes : pattern_sizes(job, dir).min_bytes;
}

uint64_t pattern_least(const struct job *job)
{
	uint64_t bytes = 0;

	for (unsigned dir = 0; dir < DIR_DATA_COUNT; dir++) {
		const uint64_t least = is_done(job, dir) ? least_drawn(job, dir) : 0;

		bytes = least > bytes ? least : bytes;
	}
	return bytes;
}
