/* SPDX-License-Identifier: Apache-2.0 */
#include "run/progress.h"

#include "run/sampler.h"

/* What a job may take at most; 0: only its bytes end it. */
static uint64_t longest_ns(const struct job *job)
{
	if (!job->time.runtime_ns)
		return 0;
	return job->time.startdelay.max_ns + job->time.ramp_ns + job->time.runtime_ns;
}

static double bytes_fraction(const struct member *m)
{
	struct counters c = { .clat_min_ns = UINT64_MAX };

	if (!m->planned_bytes)
		return 0;
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++)
		counters_add(&c, m->worker.shared, dir);
	return (double)c.bytes / (double)m->planned_bytes;
}

/* Whatever comes first ends a job: its time, or its last byte. */
static double member_fraction(const struct member *m, uint64_t now_ns)
{
	const uint64_t longest = longest_ns(m->worker.job);
	const double by_bytes = bytes_fraction(m);
	double fraction = longest ? (double)(now_ns - m->start_ns) / (double)longest : 0;

	if (m->gone)
		return 1;
	if (member_waits(m))
		return 0;
	fraction = fraction > by_bytes ? fraction : by_bytes;
	return fraction < 1 ? fraction : 1;
}

static uint64_t member_left_ns(const struct member *m, uint64_t now_ns)
{
	const double fraction = member_fraction(m, now_ns);
	const double elapsed_ns = (double)(now_ns - m->start_ns);

	return fraction > 0 ? (uint64_t)(elapsed_ns * (1 - fraction) / fraction) : 0;
}

/* A group is as long as its longest job. Of those to come only runtimes are known; one
 * without is taken to be as long as the one that runs. */
static uint64_t later_ns(const struct workers *workers, uint32_t first, uint64_t this_group_ns)
{
	uint64_t sum = 0, longest = 0;

	for (uint32_t i = first; i < workers->count; i++) {
		const uint64_t known = longest_ns(workers->members[i].worker.job);
		const uint64_t ns = known ? known : this_group_ns;

		longest = ns > longest ? ns : longest;
		if (i + 1 == workers->count ||
		    workers->members[i + 1].worker.group != workers->members[i].worker.group) {
			sum += longest;
			longest = 0;
		}
	}
	return sum;
}

static uint32_t groups_between(const struct workers *workers, uint32_t first, uint32_t end)
{
	uint32_t count = 0;

	for (uint32_t i = first; i < end; i++)
		count += i == first || workers->members[i].worker.group !=
				       workers->members[i - 1].worker.group;
	return count;
}

struct progress progress_of(const struct workers *workers, uint32_t first, uint32_t end,
			    uint64_t now_ns)
{
	const uint32_t before = groups_between(workers, 0, first);
	const uint32_t after = groups_between(workers, end, workers->count);
	uint64_t left = 0, elapsed = 0;
	double sum = 0;

	for (uint32_t i = first; i < end; i++) {
		const struct member *m = &workers->members[i];
		const uint64_t ns = m->gone ? 0 : member_left_ns(m, now_ns);

		sum += member_fraction(m, now_ns);
		left = ns > left ? ns : left;
		elapsed = member_waits(m) ? elapsed : now_ns - m->start_ns;
	}
	return (struct progress){
		.fraction = (before + sum / (end - first)) / (before + 1 + after),
		.left_ns = left + later_ns(workers, end, elapsed + left),
	};
}
