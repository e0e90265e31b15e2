/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/dedupe_sets.h"

static uint64_t smallest_write(const struct job *job)
{
	const struct block_split *s = &job->block.splits[DIR_WRITE];
	uint64_t bytes = job->block.bytes[DIR_WRITE];

	for (uint32_t i = 0; i < s->count; i++)
		bytes = s->shares[i].bytes < bytes ? s->shares[i].bytes : bytes;
	if (job->block.ranges[DIR_WRITE].max_bytes)
		bytes = job->block.ranges[DIR_WRITE].min_bytes;
	return bytes ? bytes : 1;
}

/* At least one, so that there is something to repeat. */
static uint64_t own_blocks(const struct job *job)
{
	const uint64_t blocks = job->amount.size.bytes / 100 * job->dedupe.set_percent /
				smallest_write(job);

	return blocks ? blocks : 1;
}

static bool shares(const struct job *job)
{
	return job->dedupe.percent && job->dedupe.mode == DEDUPE_WORKING_SET &&
	       job->dedupe.global;
}

void dedupe_sets_share(struct job *jobs, size_t count)
{
	uint64_t blocks = 0;
	uint32_t sharers = 0;

	for (size_t i = 0; i < count; i++) {
		struct job *job = &jobs[i];

		job->dedupe.set_blocks = own_blocks(job);
		job->dedupe.sharers = 1;
		job->dedupe.first_sharer = sharers;
		if (shares(job)) {
			blocks += job->dedupe.set_blocks * job_clones(job);
			sharers += job_clones(job);
		}
	}
	for (size_t i = 0; i < count; i++) {
		if (!shares(&jobs[i]))
			continue;
		jobs[i].dedupe.set_blocks = blocks;
		jobs[i].dedupe.sharers = sharers;
	}
}
