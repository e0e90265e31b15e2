/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/check.h"
#include "pattern/pattern_fit.h"
#include "pattern/pattern_sizes.h"

static int zones_to_bytes(const struct check *c, const char *option, struct size_value *value)
{
	if (!value->zones)
		return 0;
	if (!c->job->zones.size_bytes)
		return check_refuse(c, option, "a number of zones (z) needs zonesize");
	if (__builtin_mul_overflow((uint64_t)value->zones, c->job->zones.size_bytes,
				   &value->bytes))
		return check_refuse(c, option, "that many zones are too large");
	value->zones = 0;
	return 0;
}

/* zonesize alone divides the file into zones, as it did before there was a zonemode;
 * only an explicit zonemode=none contradicts it. */
static int check_zones(const struct check *c)
{
	struct job *job = c->job;

	if (job->zones.skip.percent)
		return check_refuse(c, "zoneskip", "zoneskip is in bytes, or in zones (z)");
	if (zones_to_bytes(c, "zoneskip", &job->zones.skip))
		return c->err->code;
	if (job->zones.mode == ZONE_NONE && job->zones.size_bytes) {
		if (check_origin(c, "zonemode"))
			return check_refuse(c, "zonesize", "zonesize contradicts zonemode=none; "
					    "drop one of them");
		job->zones.mode = ZONE_STRIDED;
	}
	if (job->zones.mode == ZONE_STRIDED && !job->zones.size_bytes)
		return check_refuse(c, "zonemode", "zonemode=strided needs zonesize");
	if (job->zones.mode == ZONE_NONE && (job->zones.skip.bytes || job->zones.range_bytes))
		check_warn(c, "zoneskip and zonerange do nothing without zonemode");
	if (job->zones.mode == ZONE_STRIDED && !job->zones.range_bytes)
		job->zones.range_bytes = job->zones.size_bytes;
	return 0;
}

/* What is said of reads is then of sequential I/O, and of writes of random I/O. */
static void sizes_by_order(struct job *job)
{
	const unsigned from = job->rw & RW_RANDOM ? DIR_WRITE : DIR_READ;

	for (unsigned dir = 0; dir < DIR_DATA_COUNT && job->block.by_order; dir++) {
		job->block.bytes[dir] = job->block.bytes[from];
		job->block.splits[dir] = job->block.splits[from];
		job->block.ranges[dir] = job->block.ranges[from];
	}
}

/* bs stands for the largest block: buffers and files have to hold it. */
static void check_splits(const struct check *c)
{
	struct job *job = c->job;

	sizes_by_order(job);
	for (unsigned dir = 0; dir < DIR_DATA_COUNT; dir++) {
		if (job->block.ranges[dir].max_bytes)
			job->block.bytes[dir] = job->block.ranges[dir].max_bytes;
	}

	for (unsigned dir = 0; dir < DIR_DATA_COUNT; dir++) {
		const struct block_split *s = &job->block.splits[dir];

		for (uint32_t i = 0; i < s->count; i++)
			if (!i || s->shares[i].bytes > job->block.bytes[dir])
				job->block.bytes[dir] = s->shares[i].bytes;
	}
}

/* A block is as large as the larger of both sizes, and is trimmed and written in whole. */
static int check_trims(const struct check *c)
{
	const struct job *job = c->job;
	const uint64_t trim = job->block.bytes[DIR_TRIM], write = job->block.bytes[DIR_WRITE];

	if (!job_trims_before_writes(job))
		return 0;
	if (job->block.splits[DIR_TRIM].count || job->block.splits[DIR_WRITE].count)
		return check_refuse(c, "bssplit", "what is trimmed and then written has blocks "
				    "of one size: drop bssplit");
	if (pattern_has_range(job, DIR_TRIM) || pattern_has_range(job, DIR_WRITE))
		return check_refuse(c, "bsrange", "what is trimmed and then written has blocks "
				    "of one size: drop bsrange");
	if (trim && write && trim % write && write % trim)
		return check_refuse(c, "bs", "what is trimmed is then written: of the block "
				    "sizes of writes and trims one has to be a multiple of the "
				    "other");
	return 0;
}

/* Of a range those sizes are drawn that hold a block. */
static void raise_filesize(struct job *job)
{
	struct size_range *size = &job->files.size;
	const uint64_t block = pattern_largest(job);

	if (size->min_bytes < block && block <= size->max_bytes)
		size->min_bytes = block;
}

static int check_sizes(const struct check *c)
{
	struct job *job = c->job;
	int code = zones_to_bytes(c, "size", &job->amount.size);

	code = code ? code : zones_to_bytes(c, "io_size", &job->amount.io_size);
	code = code ? code : zones_to_bytes(c, "offset", &job->amount.offset);
	code = code ? code : zones_to_bytes(c, "ramp_size", &job->time.ramp);
	raise_filesize(job);
	if (!code && job->files.size.max_bytes && job->files.size.min_bytes < pattern_least(job))
		return check_refuse(c, "filesize", "a file is smaller than one block; raise "
				    "filesize, or lower bs");
	if (!code && !job->files.size.max_bytes && job->amount.size.bytes &&
	    job->amount.size.bytes / job->files.count < pattern_least(job))
		return check_refuse(c, "size", "size is smaller than one block in each file; "
				    "raise size, or lower bs or nrfiles");
	return code;
}

/* The part of a file that size and offset say, where they say it in bytes. */
static int check_room(const struct check *c)
{
	const struct job *job = c->job;
	const char *text = pattern_zones_complaint(job);
	const struct pattern_extent part = {
		job->amount.offset.bytes, job->amount.size.bytes / job->files.count,
	};

	if (text)
		return check_refuse(c, check_origin(c, "zonemode") ? "zonemode" : "zonesize",
				    text);
	if (job->zones.mode != ZONE_ZBD || !job->amount.size.bytes || job->files.size.max_bytes ||
	    job->amount.offset.percent || pattern_fit_zones(job, &part).size_bytes)
		return 0;
	return check_refuse(c, "zonesize", "what size and offset say holds no zone: make size "
			    "larger or zonesize smaller");
}

/* Why the job cannot have sprandom, or NULL; *option is what stands against it. */
static const char *against_sprandom(const struct job *job, const char **option)
{
	const bool plain = !job->block.splits[DIR_WRITE].count && !job->block.align[DIR_WRITE] &&
			   !pattern_has_range(job, DIR_WRITE);
	const bool even = !job->distribution.skew.kind && !job->distribution.zones->count &&
			  !job->distribution.sequence.count;
	const struct {
		bool holds;
		const char *option, *why;
	} needs[] = {
		{ job->rw == (RW_WRITE | RW_RANDOM) && !job->sequence.step, "rw",
		  "sprandom is for rw=randwrite" },
		{ job->random_percent[DIR_WRITE] == 100, "percentage_random",
		  "sprandom has no blocks that follow: drop percentage_random" },
		{ plain, "bs", "sprandom needs blocks of one size: drop bssplit, bsrange and "
		  "blockalign" },
		{ even, "random_distribution", "sprandom prefers no blocks: drop "
		  "random_distribution" },
		{ job->zones.mode == ZONE_NONE, "zonemode", "sprandom has no zones: drop "
		  "zonemode and zonesize" },
		{ job->files.count == 1, "nrfiles", "sprandom is for one file: drop nrfiles" },
		{ !job->replay.files, "read_iolog", "a log says which blocks are written: drop "
		  "sprandom or read_iolog" },
		{ !job->verify.method, "verify", "sprandom writes blocks twice, which verify "
		  "does not follow: drop one of them" },
	};

	for (size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++) {
		*option = needs[i].option;
		if (!needs[i].holds)
			return needs[i].why;
	}
	return NULL;
}

static int check_sprandom(const struct check *c)
{
	const char *option;
	const char *why = c->job->sprandom.on ? against_sprandom(c->job, &option) : NULL;

	return why ? check_refuse(c, option, why) : 0;
}

int check_pattern(const struct check *c)
{
	int code = check_zones(c);

	check_splits(c);
	code = code ? code : check_sizes(c);
	code = code ? code : check_room(c);
	code = code ? code : check_trims(c);
	return code ? code : check_sprandom(c);
}
