/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/resolve_checks.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/ioprio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engines/engine.h"
#include "jobfile/check.h"
#include "pattern/pattern_sizes.h"
#include "util/namelist.h"
#include "verify/header.h"

/* fio's documentation keeps the name - for stdin and stdout. */
static bool is_stream(const struct job *job)
{
	const bool is_bare = !job->files.directory || !*job->files.directory;
	bool found = false;

	for (uint32_t i = 0; is_bare && i < namelist_count(job->files.names); i++) {
		char *name = namelist_entry(job->files.names, i);

		found = found || (name && !strcmp(name, "-"));
		free(name);
	}
	return found;
}

static int check_names(const struct check *c)
{
	const struct job *job = c->job;
	const struct {
		const char *option, *names;
	} lists[] = {
		{ "filename", job->files.names }, { "directory", job->files.directory },
		{ "read_iolog", job->replay.files },
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		if (lists[i].names && *lists[i].names && !namelist_count(lists[i].names))
			return check_refuse(c, lists[i].option, "there is no name between the "
					    "colons");
	}
	if (job->files.names && is_stream(job))
		return check_refuse(c, "filename", "'-' is stdin or stdout, which cannot be "
				    "measured here; a file of that name is './-'");
	return 0;
}

/* What is read in the second loop would have gone with the first. */
static int check_files(const struct check *c)
{
	const struct job *job = c->job;
	const bool sized = job->amount.size.bytes || job->amount.size.percent ||
			   job->files.size.max_bytes;
	const bool loops = job->time.loops > 1 || (job->time.based && job->time.runtime_ns);

	if (job->files.below && (job->files.unlink || job->files.unlink_each_loop))
		return check_refuse(c, "opendir", "files that the job found are not deleted; "
				    "drop unlink and unlink_each_loop");
	if (job->amount.append && !sized)
		return check_refuse(c, "file_append", "what is appended has no size yet; give "
				    "size");
	if (job->amount.fill && job->ops->flags & ENGINE_NO_DIRECT)
		return check_refuse(c, "fill_device", "a mapping ends where its file does, and "
				    "fills nothing; use another ioengine");
	if (job->amount.fill && !sized && job_changes(job) && job->rw & RW_RANDOM)
		return check_refuse(c, "fill_device", "nothing is filled at random places; use "
				    "rw=write, or give size");
	if (job->amount.fill && !sized && job->rw & RW_READ && job->files.count > 1)
		return check_refuse(c, "fill_device", "the first file that is read would fill it "
				    "alone; give size, or leave nrfiles out");
	if (!job->files.unlink_each_loop || !loops || !(job->rw & RW_READ))
		return 0;
	return check_refuse(c, "unlink_each_loop", "a job that reads cannot delete its files "
			    "before it reads them again; drop unlink_each_loop, or loops");
}

static uint64_t divisor(uint64_t a, uint64_t b)
{
	return b ? divisor(b, a % b) : a;
}

/* As fio has it: blocks of several sizes have a header wherever one of the smallest may begin,
 * so that they are looked at in whatever sizes they are read. */
static void settle_interval(struct job *job)
{
	const uint32_t asked = job->verify.interval_bytes, least = pattern_unit(job);
	const struct size_range sizes = pattern_sizes(job, job->rw & RW_WRITE ? DIR_WRITE
									      : DIR_READ);
	const uint32_t most = asked && asked < least ? asked : least;
	const uint32_t interval = (uint32_t)divisor(most, sizes.max_bytes);

	if (asked)
		job->verify.interval_bytes = most;
	if (sizes.min_bytes != sizes.max_bytes && !job->block.unaligned &&
	    interval >= header_unit_min(job->verify.method))
		job->verify.interval_bytes = interval;
}

static int check_headers(const struct check *c)
{
	const struct job *job = c->job;
	const uint32_t header = header_bytes(job->verify.method);
	const uint32_t interval = job->verify.interval_bytes, least = pattern_unit(job);
	const uint32_t unit = interval && interval < least ? interval : least;

	if (unit < header_unit_min(job->verify.method))
		return check_refuse(c, interval ? "verify_interval" : "verify",
				    arena_format(c->memory, "this verify needs blocks of at least "
						 "%" PRIu32 " bytes",
						 header_unit_min(job->verify.method)));
	if (job->verify.offset_bytes && job->verify.offset_bytes < header)
		return check_refuse(c, "verify_offset", "verify_offset is within the header");
	if (job->verify.offset_bytes + (uint64_t)header > unit)
		return check_refuse(c, "verify_offset", "behind verify_offset there is no place "
				    "for the header in a block");
	return 0;
}

static int check_verify(const struct check *c)
{
	struct job *job = c->job;

	if (job->verify.pattern.length && !job->verify.method)
		job->verify.method = VERIFY_PATTERN_HDR;
	if (!job->verify.method)
		return 0;
	if (!job->verify.pattern.length && (job->verify.method == VERIFY_PATTERN ||
					    job->verify.method == VERIFY_PATTERN_HDR))
		return check_refuse(c, "verify", "verify=pattern needs verify_pattern");
	if (job->verify.only && job->time.based)
		return check_refuse(c, "verify_only", "verify_only writes nothing, so that "
				    "time_based has no end; drop one of them");
	if (job->verify.only && !job->verify.at_end && job->rw & RW_WRITE)
		check_warn(c, "verify_only with do_verify=0 looks at nothing that was written");
	if (job->report.gtod_reduce)
		check_warn(c, "gtod_reduce does nothing with verify");
	settle_interval(c->job);
	return check_headers(c);
}

/* What is recorded in one file is one clone's: others would make it unreadable. */
static int check_iolog(const struct check *c)
{
	struct job *job = c->job;
	void **recorder = NULL;

	if (job->replay.record && job->process.numjobs > 1)
		return check_refuse(c, "write_iolog", "numjobs clones cannot record in one file; "
				    "write a job for each");
	if (job->replay.record)
		recorder = text_map_at(&c->earlier->recorders, job->replay.record, c->memory);
	if (recorder && *recorder)
		return check_refuse(c, "write_iolog", "another job records in the same file; "
				    "give each its own");
	if (recorder)
		*recorder = job;
	if (job->replay.align & (job->replay.align - 1))
		return check_refuse(c, "replay_align", "replay_align is no power of 2");
	return 0;
}

/* A job that cannot keep both would end at once. */
static int check_rates(const struct check *c)
{
	const struct job *job = c->job;

	JOB_DIRS(dir, job) {
		const uint64_t bytes = job->rate.bytes[dir], iops = job->rate.iops[dir];

		if (bytes && job->rate.min_bytes[dir] > bytes)
			return check_refuse(c, "rate_min", "rate_min is above rate");
		if (iops && job->rate.min_iops[dir] > iops)
			return check_refuse(c, "rate_iops_min", "rate_iops_min is above "
					    "rate_iops");
	}
	return 0;
}

static bool is_any(const uint64_t values[DIR_DATA_COUNT])
{
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++)
		if (values[dir])
			return true;
	return false;
}

static int check_kinds_of_rate(const struct check *c)
{
	const struct job *job = c->job;

	if (is_any(job->rate.bytes) && is_any(job->rate.iops))
		return check_refuse(c, "rate_iops", "rate and rate_iops exclude each other: "
				    "leave one out");
	if (is_any(job->rate.min_bytes) && is_any(job->rate.min_iops))
		return check_refuse(c, "rate_iops_min", "rate_min and rate_iops_min exclude each "
				    "other: leave one out");
	return 0;
}

/* A log that lacks its columns says nothing. */
static int check_logs(const struct check *c)
{
	const struct job *job = c->job;

	if (job->log.epoch_clock > CLOCK_TAI)
		return check_refuse(c, "log_alternate_epoch_clock_id", "there is no such clock: "
				    "clock_gettime(2) has 0 to 11");
	if (job->process.start_clock > CLOCK_TAI)
		return check_refuse(c, "job_start_clock_id", "there is no such clock: "
				    "clock_gettime(2) has 0 to 11");
	if (job->log.issue_time && !(job->log.lat && job->log.offset))
		return check_refuse(c, "log_issue_time", "log_issue_time needs write_lat_log and "
				    "log_offset");
	if (job->log.packed && job->log.issue_time)
		return check_refuse(c, "log_store_compressed", "compressed logs have no column "
				    "for log_issue_time");
	if (job->log.packed && job->log.window == LOG_BOTH)
		return check_refuse(c, "log_store_compressed", "compressed logs have one value a "
				    "row: set log_window_value to avg or max");
	return 0;
}

/* Blocks of the set are written once each before they repeat. */
static int check_dedupe(const struct check *c)
{
	const struct job *job = c->job;

	if (job->dedupe.percent && job->buffers.pattern.length && !job->buffers.compress_percent)
		check_warn(c, "dedupe_percentage does nothing with buffer_pattern: all blocks "
			      "are the same");
	if (!job->dedupe.percent || job->dedupe.mode != DEDUPE_WORKING_SET)
		return 0;
	if (!job->amount.size.bytes)
		return check_refuse(c, "dedupe_mode", "a working set is a part of size: give "
				    "size in bytes");
	if (job->dedupe.percent + job->dedupe.set_percent > 100)
		return check_refuse(c, "dedupe_percentage", "dedupe_percentage and "
				    "dedupe_working_set_percentage are above 100 together: what "
				    "is of the set is no repetition");
	return 0;
}

/* What the ioengine itself refuses, it refuses where ioengine= is written. */
static int check_engine(const struct check *c)
{
	struct err why = { 0 };

	if (!c->job->ops->check || !c->job->ops->check(c->job, &why))
		return 0;
	return check_refuse(c, "ioengine", why.text);
}

static void check_time(const struct check *c)
{
	struct job *job = c->job;

	if (!job->time.based || job->time.runtime_ns)
		return;
	check_warn(c, "time_based does nothing without runtime");
	job->time.based = false;
}

/* Time of I/O between pauses stands alone, unless a number of blocks is given, too. */
static void check_think(const struct check *c)
{
	struct job *job = c->job;

	if (job->think.iotime_ns && !check_origin(c, "thinktime_blocks"))
		job->think.blocks = 0;
}

/* The one job of that name before this one. */
static int check_wait(const struct check *c)
{
	struct job *job = c->job;
	const char *name = job->process.wait_for;

	if (!name)
		return 0;
	if (!strcmp(name, job->name))
		return check_refuse(c, "wait_for", "a job cannot wait for itself");
	for (uint32_t i = 0; i + 1 < c->list->count; i++) {
		if (strcmp(c->list->jobs[i].name, name))
			continue;
		if (job->process.waits_for)
			return check_refuse(c, "wait_for", "two jobs before it have that name: "
					    "rename one");
		job->process.waits_for = i + 1;
	}
	return job->process.waits_for ? 0 : check_refuse(c, "wait_for", "no job before it has "
							 "that name");
}

/* A priority is one of a class: of best effort, unless another is given. */
static void check_priority(const struct check *c)
{
	struct job *job = c->job;

	if (!check_origin(c, "prioclass") &&
	    (check_origin(c, "prio") || check_origin(c, "priohint")))
		job->place.class = IOPRIO_CLASS_BE;
}

static void check_depth(const struct check *c)
{
	const struct job *job = c->job;

	if (job->depth.iodepth <= job->ops->depth_max)
		return;
	if (engine_is_sync(job->ops))
		check_note(c, arena_format(c->memory, "iodepth=%" PRIu32 ", but ioengine %s is "
					   "synchronous: one I/O is in flight at a time",
					   job->depth.iodepth, job->ops->name));
	else
		check_note(c, arena_format(c->memory, "iodepth=%" PRIu32 ", but ioengine %s "
					   "keeps at most %" PRIu32 " I/Os in flight",
					   job->depth.iodepth, job->ops->name,
					   job->ops->depth_max));
}

int resolve_checks(struct earlier *earlier, const struct section *own, struct job *job,
		   struct job_list *list, struct arena *memory, struct err *err)
{
	const struct check c = { earlier, own, job, list, memory, err };
	int code = check_engine(&c);

	code = code ? code : check_pattern(&c);
	code = code ? code : check_names(&c);
	code = code ? code : check_files(&c);
	code = code ? code : check_verify(&c);
	code = code ? code : check_iolog(&c);
	code = code ? code : check_rates(&c);
	code = code ? code : check_kinds_of_rate(&c);
	code = code ? code : check_logs(&c);
	code = code ? code : check_dedupe(&c);
	code = code ? code : check_wait(&c);
	if (code)
		return code;
	if (job->files.pre_read)
		job->buffers.invalidate = false;
	check_time(&c);
	check_depth(&c);
	check_priority(&c);
	check_think(&c);
	return 0;
}
