/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/resolve_checks.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "engines/engine.h"
#include "jobfile/options.h"
#include "pattern/pattern.h"

struct check {
	struct earlier *earlier;
	const struct section *own;
	struct job *job;
	struct job_list *list;
	struct arena *memory;
	struct err *err;
};

static const struct assignment *last_in(const struct section *s, const struct option *o)
{
	const struct assignment *found = NULL;

	for (const struct assignment *a = s->first; a; a = a->next)
		if (options_find(a->key) == o)
			found = a;
	return found;
}

/* Where the job got an option from: its own section, or the last global one before. */
static const struct assignment *origin(const struct check *c, const char *name)
{
	const struct option *o = options_find(name);
	const struct assignment *found = last_in(c->own, o);

	found = found ? found : given_last(&c->earlier->globals, o);
	return found ? found : given_last(&c->earlier->defaults, o);
}

static int refuse(const struct check *c, const char *option, const char *why)
{
	const struct assignment *a = origin(c, option);
	const struct place *place = a ? &a->place : &c->own->place;
	const uint32_t column = a ? place->key_column : c->own->place.key_column;

	return place_error(c->err, place, column, "job '%.80s': %s", c->job->name, why);
}

static void warn(const struct check *c, const char *text)
{
	const char **warnings;
	const size_t n = c->list->warnings_count;

	if (!(n & (n + 1))) {	/* full: capacities are 1, 3, 7, 15, ... */
		warnings = arena_alloc(c->memory, (2 * n + 1) * sizeof(*warnings));
		if (n)
			memcpy(warnings, c->list->warnings, n * sizeof(*warnings));
		c->list->warnings = warnings;
	}
	warnings = (const char **)(uintptr_t)c->list->warnings;
	warnings[n] = arena_format(c->memory, "job '%s': %s", c->job->name, text);
	c->list->warnings_count++;
}

/* zonesize alone divides the file into zones, as it did before there was a zonemode;
 * only an explicit zonemode=none contradicts it. */
static int check_zones(const struct check *c)
{
	struct job *job = c->job;

	if (job->zones.mode == ZONE_NONE && job->zones.size_bytes) {
		if (origin(c, "zonemode"))
			return refuse(c, "zonesize", "zonesize contradicts zonemode=none; "
						     "drop one of them");
		job->zones.mode = ZONE_STRIDED;
	}
	if (job->zones.mode == ZONE_STRIDED && !job->zones.size_bytes)
		return refuse(c, "zonemode", "zonemode=strided needs zonesize");
	if (job->zones.mode == ZONE_NONE && (job->zones.skip_bytes || job->zones.range_bytes))
		warn(c, "zoneskip and zonerange do nothing without zonemode=strided");
	if (job->zones.mode == ZONE_STRIDED && !job->zones.range_bytes)
		job->zones.range_bytes = job->zones.size_bytes;
	return 0;
}

static int zones_to_bytes(const struct check *c, const char *option, struct size_value *value)
{
	if (!value->zones)
		return 0;
	if (!c->job->zones.size_bytes)
		return refuse(c, option, "a number of zones (z) needs zonesize");
	if (__builtin_mul_overflow((uint64_t)value->zones, c->job->zones.size_bytes,
				   &value->bytes))
		return refuse(c, option, "that many zones are too large");
	value->zones = 0;
	return 0;
}

/* bs stands for the largest block: buffers and files have to hold it. */
static void check_splits(const struct check *c)
{
	struct job *job = c->job;

	for (unsigned dir = 0; dir < DIR_DATA_COUNT; dir++) {
		const struct block_split *s = &job->block.splits[dir];

		for (uint32_t i = 0; i < s->count; i++)
			if (!i || s->shares[i].bytes > job->block.bytes[dir])
				job->block.bytes[dir] = s->shares[i].bytes;
	}
}

/* Headers stand at the beginning of each unit: a block that ends within one would be read
 * as damaged, or cut another's in two. */
static bool blocks_are_whole_units(const struct job *job)
{
	const uint64_t unit = pattern_unit(job);
	bool whole = true;

	for (int dir = DIR_READ; dir <= DIR_WRITE && unit; dir++) {
		const struct block_split *s = &job->block.splits[dir];

		if (!(job->rw & (RW_READ << dir)))
			continue;
		whole = whole && !(job->block.bytes[dir] % unit);
		for (uint32_t i = 0; i < s->count; i++)
			whole = whole && !(s->shares[i].bytes % unit);
	}
	return whole;
}

static int check_verify(const struct check *c)
{
	if (c->job->verify.method && pattern_unit(c->job) < VERIFY_HEADER_BYTES)
		return refuse(c, "verify", "verify needs blocks of at least 32 bytes");
	if (c->job->verify.method && !c->job->replay.files && !blocks_are_whole_units(c->job))
		return refuse(c, "verify", "verify needs block sizes that are all multiples of the "
					   "smallest; change bs or bssplit");
	if (c->job->verify.method && c->job->report.gtod_reduce)
		warn(c, "gtod_reduce does nothing with verify");
	return 0;
}

static int check_sizes(const struct check *c)
{
	struct job *job = c->job;
	int code = zones_to_bytes(c, "size", &job->amount.size);

	code = code ? code : zones_to_bytes(c, "io_size", &job->amount.io_size);
	code = code ? code : zones_to_bytes(c, "offset", &job->amount.offset);
	if (!code && job->files.size.max_bytes && job->files.size.min_bytes < pattern_unit(job))
		return refuse(c, "filesize", "a file is smaller than one block; raise filesize, "
					     "or lower bs");
	if (!code && !job->files.size.max_bytes && job->amount.size.bytes &&
	    job->amount.size.bytes / job->files.count < pattern_unit(job))
		return refuse(c, "size", "size is smaller than one block in each file; raise "
					 "size, or lower bs or nrfiles");
	return code;
}

static bool known_skips(const char *list)
{
	static const char *const names[] = { "read", "write", "trim", "sync" };

	for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		const size_t length = strcspn(at, ",");
		int i = 0;

		while (i < 4 && (strlen(names[i]) != length || memcmp(at, names[i], length)))
			i++;
		if (i == 4)
			return false;
	}
	return true;
}

/* What is recorded in one file is one clone's: others would make it unreadable. */
static int check_iolog(const struct check *c)
{
	struct job *job = c->job;
	void **recorder = NULL;

	if (job->replay.record && job->process.numjobs > 1)
		return refuse(c, "write_iolog", "numjobs clones cannot record in one file; write "
						"a job for each");
	if (job->replay.record)
		recorder = text_map_at(&c->earlier->recorders, job->replay.record, c->memory);
	if (recorder && *recorder)
		return refuse(c, "write_iolog", "another job records in the same file; give each "
						"its own");
	if (recorder)
		*recorder = job;
	if (job->replay.skip && !known_skips(job->replay.skip))
		return refuse(c, "replay_skip", "it is not a list of read, write, trim, sync");
	if (job->replay.align & (job->replay.align - 1))
		return refuse(c, "replay_align", "replay_align is no power of 2");
	return 0;
}

/* What the ioengine itself refuses, it refuses where ioengine= is written. */
static int check_engine(const struct check *c)
{
	struct err why = { 0 };

	if (!c->job->ops->check || !c->job->ops->check(c->job, &why))
		return 0;
	return refuse(c, "ioengine", why.text);
}

static void check_time(const struct check *c)
{
	struct job *job = c->job;

	if (!job->time.based || job->time.runtime_ns)
		return;
	warn(c, "time_based does nothing without runtime");
	job->time.based = false;
}

static void check_depth(const struct check *c)
{
	const struct job *job = c->job;

	if (job->depth.iodepth <= job->ops->depth_max)
		return;
	if (engine_is_sync(job->ops))
		warn(c, arena_format(c->memory, "iodepth=%" PRIu32 ", but ioengine %s is "
				     "synchronous: one I/O is in flight at a time",
				     job->depth.iodepth, job->ops->name));
	else
		warn(c, arena_format(c->memory, "iodepth=%" PRIu32 ", but ioengine %s keeps at "
				     "most %" PRIu32 " I/Os in flight", job->depth.iodepth,
				     job->ops->name, job->ops->depth_max));
}

int resolve_checks(struct earlier *earlier, const struct section *own, struct job *job,
		   struct job_list *list, struct arena *memory, struct err *err)
{
	const struct check c = { earlier, own, job, list, memory, err };
	int code = check_zones(&c);

	check_splits(&c);
	code = code ? code : check_sizes(&c);
	code = code ? code : check_verify(&c);
	code = code ? code : check_iolog(&c);
	code = code ? code : check_engine(&c);
	if (code)
		return code;
	check_time(&c);
	check_depth(&c);
	return 0;
}
