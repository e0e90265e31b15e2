/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/job_needs.h"

#include "engines/engine.h"

static bool has_rate(const struct job *job)
{
	bool any = false;

	for (int dir = 0; dir < DIR_DATA_COUNT; dir++)
		any = any || job->rate_bytes[dir] || job->rate_iops[dir];
	return any;
}

static bool logs_each_io(const struct job *job)
{
	return !job->log_avg_ms &&
	       (job->write_bw_log || job->write_iops_log || job->write_lat_log);
}

/* What is done for writes alone. */
static bool writes_need_more(const struct job *job)
{
	return job->rw & RW_WRITE && (job->fsync || job->fdatasync || job->refill_buffers ||
				      job->zero_buffers);
}

struct job_needs job_needs_of(const struct job *job, bool clock_per_io)
{
	struct job_needs n = {
		.log = logs_each_io(job), .iolog = job->write_iolog,
		.all_histograms = job->lat_percentiles || job->slat_percentiles,
	};

	n.each_lat = n.all_histograms && !engine_is_sync(job->ops);
	n.extras = n.log || n.each_lat;
	n.general = n.extras || n.iolog || job->trace || job->thinktime_ns || job->verify ||
		    has_rate(job) || job->iodepth_low || !job->batch_complete_min ||
		    clock_per_io || writes_need_more(job);
	return n;
}
