/* SPDX-License-Identifier: Apache-2.0 */
#include "target/target_extent.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "pattern/pattern_sizes.h"
#include "pattern/trace.h"
#include "util/random.h"

static const uint64_t OFFSET_MAX = INT64_MAX;	/* what off_t holds */
enum { UNIT = 1 << 30 };			/* of what has no size: any block divides it */

/* Bytes of a size that may be a part of something. */
static uint64_t bytes_of(const struct size_value *v, uint64_t whole)
{
	return v->percent ? (uint64_t)((unsigned __int128)whole * v->percent / 100) : v->bytes;
}

/* With filesize, size may be a part of each file, in whole blocks, wherever it begins; in bytes it
 * is what all of them move. */
static uint64_t part_of(const struct job *job, uint64_t whole, uint64_t start)
{
	const uint64_t part = bytes_of(&job->amount.size, whole), unit = pattern_unit(job);
	const uint64_t rest = whole > start ? whole - start : 0;

	if (!job->amount.size.percent || part > rest)
		return rest;
	return unit && part > unit ? part / unit * unit : part;
}

static int size_missing(const struct job *job, const struct target_file *f, struct err *err)
{
	if (job->amount.size.percent)
		return err_set(err, -EINVAL, "%s: size=%u%% of what? '%s' does not exist: give "
			       "size= in bytes", job->name, job->amount.size.percent, f->path);
	return err_set(err, -EINVAL, "%s: you need to specify size=: '%s' %s", job->name, f->path,
		       f->type ? "is empty" : "does not exist");
}

static int offset_past_end(const struct job *job, const struct target_file *f, uint64_t offset,
			   struct err *err)
{
	return err_set(err, -EINVAL, "%s: offset %" PRIu64 " is past the end of '%s' (%" PRIu64
		       " bytes)", job->name, offset, f->path, f->present_bytes);
}

/* filesize=a-b: the same size for the same file in every run, in whole blocks. */
static uint64_t choose_filesize(const struct target *t, const struct target_file *f)
{
	const struct job *job = t->job;
	const uint64_t min = job->files.size.min_bytes, span = job->files.size.max_bytes - min + 1;
	const uint64_t bs = job->block.bytes[job_main_dir(job)];
	const uint64_t number = ((uint64_t)t->clone << 32) + (uint64_t)(f - t->files);
	uint64_t size = span ? min + random_mix(random_mix(number + 1)) % span : min;

	size = bs ? size / bs * bs : size;
	return size < min ? min : size;
}

uint64_t target_end_in(const struct target *t, const char *path)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; !t->job->amount.fill && i < t->files_count; i++) {
		const struct pattern_extent *extent = &t->files[i].extent;
		const uint64_t end = extent->start_bytes + extent->size_bytes;

		if (end > bytes && !strcmp(t->files[i].path, path))
			bytes = end;
	}
	return bytes;
}

/* A file as the first clone or job that has it leaves it when it lays it out. */
static uint64_t laid_out_bytes(const struct target *t, const struct target_file *f)
{
	uint64_t bytes = 0;

	for (const struct target *each = t->before; each && f->type != S_IFBLK;
	     each = each->before) {
		const uint64_t end = target_end_in(each, f->path);

		bytes = end ? end : bytes;
	}
	return bytes > f->present_bytes ? bytes : f->present_bytes;
}

/* A part of what is there, in whole blocks; of a file that is not there it is nothing. */
static uint64_t start_of(const struct target *t, const struct target_file *f)
{
	const struct job *job = t->job;

	if (job->amount.append && (!f->type || f->type == S_IFREG))
		return f->present_bytes;
	const bool is_part = job->amount.offset.percent || job->amount.increment.percent;
	const uint64_t whole = is_part ? laid_out_bytes(t, f) : 0;
	const uint64_t start = bytes_of(&job->amount.offset, whole) +
			       t->clone * bytes_of(&job->amount.increment, whole);
	const uint64_t asked = job->amount.align_bytes;
	const uint64_t unit = asked ? asked : pattern_unit(job);
	const uint64_t past = is_part && unit ? start % unit : 0;

	return past ? start - past + unit : start;
}

/* As large as a file can be: it ends when there is no space left. */
static bool fills(const struct target *t, const struct target_file *f)
{
	const struct job *job = t->job;
	const bool sized = job->amount.size.bytes || job->amount.size.percent ||
			   job->files.size.max_bytes;

	return job->amount.fill && !sized && (!f->type || f->type == S_IFREG) &&
	       !job->replay.trace && !target_own_way(job)->size;
}

int target_extent(const struct target *t, struct target_file *f, struct err *err)
{
	const struct job *job = t->job;
	const uint64_t whole = job->files.size.max_bytes ? choose_filesize(t, f)
						       : job->amount.size.bytes / t->files_count;
	uint64_t start = start_of(t, f);
	uint64_t rest, size = whole;

	rest = f->present_bytes > start ? f->present_bytes - start : 0;
	if (fills(t, f))
		size = (OFFSET_MAX - start) / t->files_count / UNIT * UNIT;
	else if (job->replay.trace)
		size = job->replay.trace->files[f - t->files].end_bytes;
	else if (f->listed && !job->amount.size.percent)
		size = whole > rest ? whole : rest;
	else if (job->files.size.max_bytes)
		size = part_of(job, whole, start);
	else if (job->amount.size.percent)
		size = bytes_of(&job->amount.size, f->present_bytes);
	else if (!job->amount.size.bytes)
		size = rest;
	if (!size && f->present_bytes && start >= f->present_bytes)
		return offset_past_end(job, f, start, err);
	if (!size)
		return size_missing(job, f, err);
	if ((f->type == S_IFBLK || (job->amount.size.percent && !job->files.size.max_bytes)) &&
	    size > rest)
		size = rest;
	if (!size)
		return offset_past_end(job, f, start, err);
	if (size > OFFSET_MAX || start > OFFSET_MAX - size)
		return err_set(err, -EFBIG, "%s: offset + size of '%s' is %" PRIu64 " + %" PRIu64
			       " bytes, past the end of any file (%" PRIu64 "): make size smaller",
			       job->name, f->path, start, size, OFFSET_MAX);
	f->extent = (struct pattern_extent){ start, size };
	return 0;
}
