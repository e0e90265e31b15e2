/* SPDX-License-Identifier: Apache-2.0 */
#include "target/target_checks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "target/device.h"
#include "target/in_use.h"
#include "target/sysfs.h"

static uint32_t direct_alignment(const struct target_file *f)
{
	struct statx stx = { 0 };

#ifdef STATX_DIOALIGN
	if (f->type == S_IFREG && !statx(AT_FDCWD, f->path, 0, STATX_DIOALIGN, &stx) &&
	    stx.stx_mask & STATX_DIOALIGN && stx.stx_dio_offset_align)
		return stx.stx_dio_offset_align;
#endif
	(void)stx;
	return device_logical_block(f->device);
}

/* Before anything is laid out: only a device can forget what stands in a part of it. */
static int check_trim(const struct job *job, const struct target_file *f, struct err *err)
{
	const uint32_t unit = device_logical_block(f->device);
	const bool by_rw = job_does(job, DIR_TRIM);

	if (job->ops->flags & ENGINE_PUNCHES)
		return 0;
	if (f->type != S_IFBLK)
		return err_set(err, -EOPNOTSUPP, "%s: '%s' is no block device, and only those can "
			       "be trimmed: name one with filename=, or %s", job->name, f->path,
			       by_rw ? "change rw" : "leave trim_percentage out");
	if (job->block.bytes[by_rw ? DIR_TRIM : DIR_WRITE] % unit ||
	    f->extent.start_bytes % unit)
		return err_set(err, -EINVAL, "%s: trims of '%s' need a block size and an offset "
			       "that are multiples of %u bytes: change bs or offset", job->name,
			       f->path, unit);
	return 0;
}

static int check_alignment(const struct job *job, const struct target_file *f, struct err *err)
{
	const uint32_t unit = direct_alignment(f);

	JOB_DIRS(dir, job) {
		if (job->block.bytes[dir] % unit)
			return err_set(err, -EINVAL, "%s: direct=1 on '%s' needs blocks of a "
				       "multiple of %u bytes, bs is %" PRIu64 ": change bs or "
				       "set direct=0", job->name, f->path, unit,
				       job->block.bytes[dir]);
	}
	if (f->extent.start_bytes % unit)
		return err_set(err, -EINVAL, "%s: direct=1 on '%s' needs an offset that is a "
			       "multiple of %u bytes, not %" PRIu64, job->name, f->path, unit,
			       f->extent.start_bytes);
	return 0;
}

static int check_write(const struct job *job, const struct target_file *f, struct err *err)
{
	if (f->type == S_IFBLK && job_changes(job))
		return in_use_device(f->path, f->device, err);
	if (f->type == S_IFREG)
		return in_use_file(f->path, f->device, f->inode, err);
	return 0;
}

/* To lay a file out is to write it. */
static int check_complete(const struct job *job, const struct target_file *f, const char *rule,
			  struct err *err)
{
	const uint64_t end = f->extent.start_bytes + f->extent.size_bytes;

	if (!f->type)
		return err_set(err, -EPERM, "%s: '%s' does not exist, and %s forbids to make it: "
			       "lay it out before without that", job->name, f->path, rule);
	if (f->type == S_IFREG && f->present_bytes < end)
		return err_set(err, -EPERM, "%s: '%s' has %" PRIu64 " bytes, the job needs %"
			       PRIu64 ", and %s forbids to extend it: make size smaller, or lay "
			       "it out before without that", job->name, f->path, f->present_bytes,
			       end, rule);
	return 0;
}

/* filetype=: what is not there yet can only become a file. */
static int check_kind(const struct job *job, const struct target_file *f, struct err *err)
{
	static const struct {
		mode_t type;
		const char *words;
	} kinds[] = {
		[FILE_REGULAR] = { S_IFREG, "file" },
		[FILE_BLOCK] = { S_IFBLK, "block device" },
		[FILE_CHARACTER] = { S_IFCHR, "character device" },
	};
	const mode_t type = f->type ? f->type : S_IFREG;

	if (job->files.kind == FILE_ANY || type == kinds[job->files.kind].type)
		return 0;
	return err_set(err, -EINVAL, "%s: '%s' is no %s, which filetype= or ioengine=%s asks for: "
		       "name another with filename=", job->name, f->path,
		       kinds[job->files.kind].words, job->ops->name);
}

/* What a device's queue says of itself; a partition has its disk's. False: there is none. */
static bool queue_line(dev_t device, const char *name, char *line, size_t size)
{
	char path[128], rest[64];

	snprintf(rest, sizeof(rest), "../queue/%s", name);
	sysfs_path(path, sizeof(path), device, rest + strlen("../"));
	if (sysfs_line(path, line, size))
		return true;
	sysfs_path(path, sizeof(path), device, rest);
	return sysfs_line(path, line, size);
}

/* Zones of its own have to be asked for and emptied by commands that are not here. */
static int check_zones(const struct job *job, const struct target_file *f, struct err *err)
{
	char model[64];

	if (f->type != S_IFBLK || !queue_line(f->device, "zoned", model, sizeof(model)) ||
	    !strcmp(model, "none"))
		return 0;
	return err_refuse(err, -EOPNOTSUPP, "%s: zonemode=zbd: '%s' has zones of its own (%s), and "
			  "only those of what has none can be made here: run it with fio, or leave "
			  "zonemode out and read", job->name, f->path, model);
}

/* Switched, it would stay so for all others, and after a crash for good. */
static int check_scheduler(const struct job *job, const struct target_file *f, struct err *err)
{
	char line[256], wanted[128];

	snprintf(wanted, sizeof(wanted), "[%.100s]", job->files.scheduler);
	if (f->type == S_IFCHR || !queue_line(f->device, "scheduler", line, sizeof(line)) ||
	    strstr(line, wanted))
		return 0;
	return err_refuse(err, -EPERM, "%s: ioscheduler=%s: the device of '%s' has '%s', and "
			  "schedulers are never switched: write its name to queue/scheduler of the "
			  "device in /sys/block, or leave ioscheduler out", job->name,
			  job->files.scheduler, f->path, line);
}

int target_checks(const struct target *t, const struct target_file *f, bool readonly,
		  struct err *err)
{
	const struct job *job = t->job;
	const struct engine_files *own = target_own_way(job);
	int ret = 0;

	if (!own->size)
		ret = check_kind(job, f, err);
	if (!ret && job->files.scheduler && !own->size)
		ret = check_scheduler(job, f, err);
	if (!ret && job->zones.mode == ZONE_ZBD && !own->size)
		ret = check_zones(job, f, err);
	if (!ret && readonly && !own->layout)
		ret = check_complete(job, f, "--readonly", err);
	if (!ret && job->files.no_create && !own->layout && !(f->type && job->amount.append))
		ret = check_complete(job, f, "allow_file_create=0", err);
	if (!ret && (job_does(job, DIR_TRIM) || job_trims_after_writes(job)) && !own->size)
		ret = check_trim(job, f, err);
	if (!ret && t->direct)
		ret = check_alignment(job, f, err);
	if (!ret && (job_changes(job) || job->files.unlink) && !own->size)
		ret = check_write(job, f, err);
	return ret;
}
