/* SPDX-License-Identifier: Apache-2.0 */
#include "engines/no_data.h"

#include <string.h>

#include "util/namelist.h"

int no_data_check(struct job *job, uint32_t dirs, bool changes, struct err *err)
{
	if (job->verify.method)
		return err_set(err, -EINVAL, "ioengine=%s moves no data: there is nothing to "
			       "verify", job->ops->name);
	if (job->rw & (RW_READ | RW_WRITE | RW_TRIM) & ~dirs)
		return err_set(err, -EINVAL, "ioengine=%s has only %s: change rw", job->ops->name,
			       dirs & RW_READ ? "reads and writes, which are the same"
					      : "writes");
	job->files.changed = changes;
	return 0;
}

static uint32_t files_count(const struct job *job)
{
	const uint32_t count = job->files.names ? namelist_count(job->files.names)
						: job->files.count;

	return count ? count : 1;
}

/* As large as each file; 0: nobody said. */
static uint64_t file_bytes(const struct job *job)
{
	return job->files.size.max_bytes ? job->files.size.max_bytes
					 : job->amount.size.bytes / files_count(job);
}

/* Nothing of a file but all of it can be made or looked at. */
static bool takes_parts(const struct job *job)
{
	return job->amount.offset.bytes || job->amount.offset.percent ||
	       job->amount.offset.zones || job->amount.increment.bytes ||
	       job->amount.increment.percent || job->amount.size.percent ||
	       job->amount.size.zones || job->amount.append;
}

/* What has to be there before is neither left to the open, nor deleted between loops. */
static int check_kept(const struct job *job, struct err *err)
{
	const bool again = job->time.loops > 1 || job->time.based;

	if (job->ops->files->layout == leave_out)
		return 0;
	if (job->files.create_on_open)
		return err_set(err, -EINVAL, "ioengine=%s opens nothing, and has to find what its "
			       "I/Os name: leave create_on_open out", job->ops->name);
	if (job->files.unlink_each_loop && again)
		return err_set(err, -EINVAL, "ioengine=%s has to find in each loop what its I/Os "
			       "name: leave unlink_each_loop out", job->ops->name);
	return 0;
}

int whole_file_check(struct job *job, bool changes, struct err *err)
{
	const uint64_t bytes = file_bytes(job);
	int ret;

	if (job->files.kind != FILE_ANY && job->files.kind != FILE_REGULAR)
		return err_set(err, -EINVAL, "ioengine=%s is for files: leave filetype out",
			       job->ops->name);
	if (job->fsync || job->fdatasync || job->sync_range.every || job->replay.files ||
	    job->end_fsync || job->files.fsync_on_close)
		return err_set(err, -EINVAL, "ioengine=%s has one I/O a file and no data: leave "
			       "fsync, fdatasync, sync_file_range, end_fsync, fsync_on_close and "
			       "read_iolog out; end_syncfs makes what it did durable",
			       job->ops->name);
	if (job->files.below)
		return err_set(err, -EINVAL, "ioengine=%s is for files that the job names: leave "
			       "opendir out", job->ops->name);
	if (takes_parts(job))
		return err_set(err, -EINVAL, "ioengine=%s has files as a whole: leave offset, "
			       "offset_increment, file_append and a size in %% out",
			       job->ops->name);
	job->files.kind = FILE_REGULAR;		/* a device's name is not to be deleted */
	job->direct = false;			/* no data is moved, by either way */
	ret = no_data_check(job, RW_READ | RW_WRITE, changes, err);
	ret = ret ? ret : check_kept(job, err);
	if (ret)
		return ret;
	if (!bytes || bytes > INT32_MAX || job->files.size.min_bytes != job->files.size.max_bytes)
		return err_set(err, -EINVAL, "ioengine=%s needs filesize, one for all files and "
			       "below 2 GiB: an I/O is a file, and counts as so many bytes",
			       job->ops->name);
	for (unsigned dir = 0; dir < DIR_DATA_COUNT; dir++) {
		job->block.bytes[dir] = bytes;
		job->block.splits[dir] = (struct block_split){ 0 };
		job->block.ranges[dir] = (struct size_range){ 0 };
	}
	return 0;
}

static bool same_for_clones(const struct job *job)
{
	const char *format = job->files.format;

	if (job->files.names)
		return true;
	return format && !strstr(format, "$jobnum");
}

int once_check(const struct job *job, const char *does, struct err *err)
{
	const uint64_t most = file_bytes(job) * files_count(job);

	if (job->amount.io_size.percent || job->amount.io_size.zones ||
	    job->amount.io_size.bytes > most)
		return err_set(err, -EINVAL, "ioengine=%s %s each once: leave io_size out, and set "
			       "nrfiles", job->ops->name, does);
	if (job->process.numjobs > 1 && same_for_clones(job))
		return err_set(err, -EINVAL, "ioengine=%s %s each once, and numjobs clones share "
			       "their names: leave filename out, or let filename_format have "
			       "$jobnum", job->ops->name, does);
	if (!job->files.names && job->files.count > 1 && job->files.format &&
	    !strstr(job->files.format, "$filenum"))
		return err_set(err, -EINVAL, "ioengine=%s %s each once, and nrfiles files share a "
			       "name: let filename_format have $filenum", job->ops->name, does);
	return 0;
}

int leave_closed(const struct job *job, struct engine_file *file, struct err *err)
{
	(void)job, (void)file, (void)err;
	return 0;
}

int leave_out(const struct job *job, const struct engine_file *file, struct err *err)
{
	(void)job, (void)file, (void)err;
	return 0;
}

const struct engine_files engine_paths = { .open = leave_closed };
const struct engine_files engine_new_paths = { .open = leave_closed, .layout = leave_out };
