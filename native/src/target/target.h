/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The room target: the files and devices of a job, and whether it may touch them.
 *
 *	target.h		the door: names, sizes, checks, layout, opening
 *	target_file.h		the files of a clone, and what is known of each
 *	target_checks.h		what a job may do with each
 *	target_folder.h		the directories of files that are not there yet
 *	target_donor.h		the file whose blocks an ioengine exchanges for those of others
 *	target_place.h		a file as its ioengine knows it, in its directory
 *	target_listing.h	the files below a directory
 *	target_extent.h		which bytes of a file a job works on
 *	expected.h		what must stand there, as the command line says: --expect
 *	in_use.h		who else uses a device: mounts, swap, holders
 *	device_claims.h		devices held while a run writes them
 *	stack.h			a device and all that shares its blocks, and what it stands on
 *	loop_backing.h		what a loop device stands on
 *	overlay.h		what is below a file that is seen through an overlay
 *	mount_table.h		what is mounted, in any namespace
 *	proc_text.h		names as the kernel writes them there
 *	sysfs.h, device.h	what the kernel tells of a block device
 *
 * Every check comes before the first write.
 */
#ifndef IOGATE_TARGET_H
#define IOGATE_TARGET_H

#include "engines/engine.h"
#include "job/job.h"
#include "target/expected.h"
#include "target/target_file.h"
#include "util/err.h"

/* What the command line says of all targets, and what the run does before. */
struct target_rules {
	bool readonly;			/* refuse to write, to make and to remove */
	struct expected_list *expected;	/* NULL: anything may stand there */
	const struct target *before;	/* of the clone before; NULL: it is the first */
};

/* What layout tells while it works; stop() true ends it with -EINTR. */
struct target_hooks {
	void (*say)(void *context, const char *text);	/* may be NULL */
	bool (*stop)(void *context);			/* called every few MiB */
	void *context;
};

/* Names, sizes and every check that needs no write. 0, or -errno with *err;
 * release also after a failure. */
int target_init(struct target *t, const struct job *job, uint32_t clone,
		const struct target_rules *rules, struct err *err);	/* rules NULL: none */
void target_release(struct target *t);

/* Create and extend files: data for what is read, space for what is only written. With
 * fill_device, the extent of a file that is read becomes what there was space for. */
int target_layout(struct target *t, const struct target_hooks *hooks, struct err *err);

/* Open for the engine and drop caches (invalidate): files[i].fd, -1 if diskless, and where the
 * job opens its files one by one. */
int target_open(const struct target *t, struct engine_file *files, struct err *err);
int target_open_file(const struct target *t, uint32_t file, struct engine_file *out,
		     struct err *err);
/* With pre_read, read all that the job may touch into the page cache. */
int target_pre_read(const struct target *t, const struct target_hooks *hooks, struct err *err);
/* A new pass over the files: what the last one left in the page cache goes, too, so
 * that a job on a small file measures the same as on a large one. */
void target_invalidate(const struct target *t, const struct engine_file *files);
void target_close(const struct target *t, struct engine_file *files);
void target_close_file(const struct target *t, struct engine_file *file);
/* Delete what are regular files: with unlink=1, and with unlink_each_loop of a job that goes on,
 * whose `files` are those of target_open. */
void target_unlink(const struct target *t);
void target_unlink_loop(const struct target *t, const struct engine_file *files);

/* Files are opened when their turn comes: fewer at a time than there are, or anew in each loop. */
static inline bool target_opens_later(const struct job *job)
{
	const struct engine_files *own = job->ops->files;
	const bool few = job->files.open && (!own || !own->open);
	const bool anew = job->files.unlink_each_loop && !engine_is_diskless(job->ops);

	return (few || anew) && !job->replay.trace;
}

/* Names as fio makes them, also for messages: a malloced path. */
char *target_path(const struct job *job, uint32_t clone, uint32_t file);
uint32_t target_files_count(const struct job *job);

#endif
