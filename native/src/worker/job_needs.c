/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/job_needs.h"

#include "engines/engine.h"
#include "target/target.h"
#include "pattern/content.h"

static bool has_rate(const struct job *job)
{
	bool any = false;

	for (int dir = 0; dir < DIR_DATA_COUNT; dir++)
		any = any || job->rate.bytes[dir] || job->rate.iops[dir];
	return any;
}

bool job_needs_pace(const struct job *job)
{
	bool any = false;

	JOB_DIRS(dir, job)
		any = any || job->rate.min_bytes[dir] || job->rate.min_iops[dir];
	return any;
}

static bool has_max_latency(const struct job *job)
{
	bool any = false;

	JOB_DIRS(dir, job)
		any = any || job->latency.max_ns[dir];
	return any;
}

/* A window's longest is looked up in the histograms. */
static bool logs_maximum(const struct job *job)
{
	return job->log.lat && job->log.avg_ms && job->log.window != LOG_AVERAGE;
}

static bool logs_each_io(const struct job *job)
{
	return !job->log.avg_ms && !job->report.gtod_reduce && job->report.stats &&
	       (job->log.bw || job->log.iops || job->log.lat);
}

/* What is done for writes alone. */
static bool writes_need_more(const struct job *job)
{
	const bool syncs = job->fsync || job->fdatasync || job->sync_range.every;

	return job->rw & RW_WRITE && (syncs || job->amount.fill || job->buffers.unscrambled ||
				      content_is_made(job));
}

struct job_needs job_needs_of(const struct job *job, bool clock_per_io)
{
	struct job_needs n = {
		.log = logs_each_io(job), .iolog = job->replay.record,
		.all_histograms = job->report.lat_percentiles || job->report.slat_percentiles ||
				  logs_maximum(job),
	};

	n.each_lat = n.all_histograms && !engine_is_sync(job->ops);
	n.each_end = has_max_latency(job) || job->latency.target_ns;
	n.locks = job->files.locking && !engine_is_diskless(job->ops);
	n.opens_files = target_opens_later(job);
	n.priorities = job->cmdprio;
	n.extras = n.log || n.each_lat || n.priorities;
	n.general = n.extras || n.opens_files || n.locks || n.iolog || job->replay.trace ||
		    job->think.pause_ns || job->think.cycles || job->process.flow ||
		    job->time.ramp.bytes || job->time.ramp.percent ||
		    job->verify.method || job->verify.only || has_rate(job) ||
		    job->depth.low || !job->depth.batch_complete_min ||
		    job_needs_pace(job) || n.each_end || job->depth.serialize_overlap ||
		    clock_per_io || job_trims_before_writes(job) || writes_need_more(job);
	return n;
}
