/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/pattern_fit.h"

#include <errno.h>
#include <inttypes.h>

#include "pattern/pattern_sizes.h"

static const char *zbd_complaint(const struct job *job)
{
	const uint64_t bs = pattern_largest(job);
	const uint64_t zone = job->zones.size_bytes;

	if (job_does(job, DIR_TRIM))
		return "zonemode=zbd trims by emptying zones of a zoned device, which this is not: "
		       "read or write";
	if (!zone)
		return "zonemode=zbd needs zonesize, as the file or device has no zones of its own";
	if (zone < 512)
		return "zonesize is at least 512 bytes with zonemode=zbd";
	if (job->zones.capacity_bytes > zone)
		return "zonecapacity is larger than zonesize: make it smaller";
	if (bs > (job->zones.capacity_bytes ? job->zones.capacity_bytes : zone))
		return "a zone holds no block: make zonesize or zonecapacity at least bs";
	if (job->zones.skip.bytes % zone)
		return "zoneskip is a multiple of zonesize with zonemode=zbd";
	if (job->zones.job_max_open && !job->zones.max_open)
		return "job_max_open_zones needs max_open_zones";
	return NULL;
}

static const char *strided_complaint(const struct job *job)
{
	const uint64_t size = job->zones.size_bytes, range = job->zones.range_bytes;
	const uint64_t least = pattern_least(job);

	if (size >= least && (!range || range >= least))
		return NULL;
	return "a zone holds no block: make zonesize at least bs";
}

const char *pattern_zones_complaint(const struct job *job)
{
	if (job->zones.mode == ZONE_ZBD)
		return zbd_complaint(job);
	return job->zones.mode == ZONE_STRIDED ? strided_complaint(job) : NULL;
}

struct pattern_extent pattern_fit_zones(const struct job *job,
					const struct pattern_extent *extent)
{
	const uint64_t zone = job->zones.size_bytes;
	const uint64_t past = extent->start_bytes % zone, ahead = past ? zone - past : 0;
	const uint64_t size = extent->size_bytes > ahead ? extent->size_bytes - ahead : 0;

	return (struct pattern_extent){ extent->start_bytes + ahead, size / zone * zone };
}

int pattern_fit(const struct job *job, const struct pattern_extent *extent, const char *name,
		struct err *err)
{
	const uint64_t least = pattern_least(job);

	if (extent->size_bytes < least)
		return err_set(err, -EINVAL, "%s: %" PRIu64 " bytes of %s hold no block of %"
			       PRIu64 ": make size larger or bs smaller", job->name,
			       extent->size_bytes, name, least);
	if (job->zones.mode == ZONE_ZBD && !pattern_fit_zones(job, extent).size_bytes)
		return err_set(err, -EINVAL, "%s: %" PRIu64 " bytes of %s from %" PRIu64 " on hold "
			       "no zone of %" PRIu64 ": make size larger or zonesize smaller",
			       job->name, extent->size_bytes, name, extent->start_bytes,
			       job->zones.size_bytes);
	return 0;
}
