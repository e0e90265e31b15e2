/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The room target: the files and devices of a job, and whether it may touch them.
 *
 *	target.h		the door: names, sizes, checks, layout, opening
 *	expected.h		what must stand there, as the command line says: --expect
 *	in_use.h		who else uses a device: mounts, swap, holders
 *	device_claims.h		devices held while a run writes them
 *	stack.h			a device and all that shares its blocks, and what it stands on
 *	loop_backing.h		what a loop device stands on
 *	mount_table.h		what is mounted, in any namespace
 *	sysfs.h, device.h	what the kernel tells of a block device
 *
 * Every check comes before the first write.
 */
#ifndef IOGATE_TARGET_H
#define IOGATE_TARGET_H

#include <sys/stat.h>

#include "engines/engine.h"
#include "job/job.h"
#include "pattern/pattern.h"
#include "target/expected.h"
#include "util/err.h"

/* The files or devices of one clone of a job. */
struct target_file {
	char *path;
	struct pattern_extent extent;	/* what the job may touch */
	uint64_t present_bytes;		/* size before layout; 0: not there yet */
	mode_t type;			/* S_IFREG, S_IFBLK, S_IFCHR; 0: not there yet */
	/* of a block device: itself; else the one it lies on */
	dev_t device;
	ino_t inode;
};

/* What the command line says of all targets. */
struct target_rules {
	bool readonly;			/* refuse to write, to make and to remove */
	struct expected_list *expected;	/* NULL: anything may stand there */
};

struct target {
	const struct job *job;
	struct expected_list *expected;
	uint32_t clone, files_count;
	struct target_file *files;
	bool direct;			/* O_DIRECT, where the engine can */
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

/* Create and extend files: data for what is read, space for what is only written. */
int target_layout(const struct target *t, const struct target_hooks *hooks, struct err *err);

/* Open for the engine and drop caches (invalidate): files[i].fd, -1 if diskless. */
int target_open(const struct target *t, struct engine_file *files, struct err *err);
/* A new pass over the files: what the last one left in the page cache goes, too, so
 * that a job on a small file measures the same as on a large one. */
void target_invalidate(const struct target *t, const struct engine_file *files);
void target_close(const struct target *t, struct engine_file *files);
/* With unlink=1, delete what are regular files. */
void target_unlink(const struct target *t);

/* Names as fio makes them, also for messages: a malloced path. */
char *target_path(const struct job *job, uint32_t clone, uint32_t file);
uint32_t target_files_count(const struct job *job);

#endif
