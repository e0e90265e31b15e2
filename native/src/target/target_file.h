/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_TARGET_FILE_H
#define IOGATE_TARGET_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "engines/engine.h"
#include "job/job.h"
#include "pattern/pattern.h"
#include "target/expected.h"

/* A file or device of a job. */
struct target_file {
	char *path;
	struct pattern_extent extent;	/* what the job may touch */
	uint64_t present_bytes;		/* size before layout; 0: not there yet */
	mode_t type;			/* S_IFREG, S_IFBLK, S_IFCHR; 0: not there yet */
	/* of a block device: itself; else the one it lies on */
	dev_t device;
	ino_t inode;
	int claim_fd;			/* device_claims.h; 0: none */
	uint32_t lock;			/* the place of its lock (worker/file_locks.h) */
	bool listed;			/* found below a directory, not named */
};

/* The files or devices of one clone of a job. */
struct target {
	const struct job *job;
	struct expected_list *expected;
	uint32_t clone, files_count;
	struct target_file *files;
	struct target_file *donor;	/* behind files; NULL: the engine has none */
	bool direct;			/* O_DIRECT, where the engine can */
	const struct target *before;	/* of the clone before in this run; NULL: the first */
};

/* The path of another file that a job names, in the directory of those of filename=: malloced. */
char *target_path_named(const struct job *job, const char *name);

/* What the ioengine does itself with its files; a member that is NULL it leaves to this room. */
static inline const struct engine_files *target_own_way(const struct job *job)
{
	static const struct engine_files nothing;

	return job->ops->files ? job->ops->files : &nothing;
}

#endif
