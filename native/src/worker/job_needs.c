/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/job_needs.h"

#include "engines/engine.h"

static bool has_rate(const struct job *job)
{
	bool any = false;

	for (int dir = 0; dir < DIR_DATA_COUNT; dir++)
		any = any || job->rate.bytes[dir] || job->rate.iops[dir];
	return any;
}

static bool logs_each_io(const struct job *job)
{
	return !job->log.avg_ms &&
	       (job->log.bw || job->log.iops || job->log.lat);
}

/* What is done for writes alone. */
static bool writes_need_more(const struct job *job)
{
	return job->rw & RW_WRITE && (job->fsync || job->fdatasync || job->buffers.refill ||
				      job->buffers.zero);
}

struct job_needs job_needs_of(const struct job *job, bool clock_per_io)
{
	struct job_needs n = {
		.log = logs_each_io(job), .iolog = job->replay.record,
		.all_histograms = job->report.lat_percentiles || job->report.slat_percentiles,
	};

	n.each_lat = n.all_histograms && !engine_is_sync(job->ops);
	n.extras = n.log || n.each_lat;
	n.general = n.extras || n.iolog || job->replay.trace || job->think.pause_ns ||
		    job->verify.method || has_rate(job) || job->depth.low ||
		    !job->depth.batch_complete_min ||
		    clock_per_io || writes_need_more(job);
	return n;
}
