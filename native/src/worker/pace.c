/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/pace.h"

#include <errno.h>
#include <inttypes.h>

#include "stats/clock.h"

#define MS UINT64_C(1000000)

enum { GRACE_MS = 2000 };

void pace_init(struct loop *l)
{
	const struct job *job = l->job;

	l->slow.pace_ticks = UINT64_MAX;
	if (job_needs_pace(job) && job->rate.cycle_ms)
		l->slow.pace_ticks = l->slow.begin_ticks +
				      clock_ns_to_ticks(job->time.ramp_ns + GRACE_MS * MS);
}

static bool pace_is_met(struct loop *l, unsigned dir, uint64_t cycle_ns)
{
	const struct job *job = l->job;
	const struct dir_stats *d = &l->stats->dirs[dir];
	const struct dir_amount *last = &l->slow.pace[dir];
	/* The end of a ramp sets the counters back. */
	const uint64_t ios = d->ios < last->ios ? d->ios : d->ios - last->ios;
	const uint64_t bytes = d->bytes < last->bytes ? d->bytes : d->bytes - last->bytes;
	const uint64_t iops = (uint64_t)((double)ios * 1e9 / (double)cycle_ns);
	const uint64_t bw = (uint64_t)((double)bytes * 1e9 / (double)cycle_ns);

	if (bw < job->rate.min_bytes[dir])
		worker_error(l->shared, EIO, "%s: rate_min=%" PRIu64 " of %ss is not met: %" PRIu64
			     " bytes a second", job->name, job->rate.min_bytes[dir],
			     io_dir_names[dir], bw);
	else if (iops < job->rate.min_iops[dir])
		worker_error(l->shared, EIO, "%s: rate_iops_min=%" PRIu64 " of %ss is not met: %"
			     PRIu64 " I/Os a second", job->name, job->rate.min_iops[dir],
			     io_dir_names[dir], iops);
	else
		return true;
	return false;
}

void pace_look(struct loop *l, uint64_t now)
{
	const uint64_t cycle_ns = (uint64_t)l->job->rate.cycle_ms * MS;
	const uint64_t past = clock_between_ns(l->slow.pace_ticks, now);

	JOB_DIRS(dir, l->job) {
		const struct dir_stats *d = &l->stats->dirs[dir];

		if (l->slow.paced && !pace_is_met(l, dir, cycle_ns + past))
			loop_fail(l, EIO);
		l->slow.pace[dir] = (struct dir_amount){ d->ios, d->bytes };
	}
	l->slow.paced = true;
	l->slow.pace_ticks = now + clock_ns_to_ticks(cycle_ns);
}
