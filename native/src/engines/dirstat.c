/* SPDX-License-Identifier: Apache-2.0 */
#include "engines/directories.h"
#include "engines/stat_call.h"

static int dirstat_check(struct job *job, struct err *err)
{
	return directories_check(job, false, err);
}

const struct engine_ops engine_dirstat = {
	.name = "dirstat",
	.help = "fstatat(2), one directory an I/O, of directories that are made before",
	.depth_max = 1,
	.flags = ENGINE_BY_NAME,
	.files = &engine_directories,
	.state_size = sizeof(struct single_io),
	.options = stat_options,
	.options_size = sizeof(struct stat_options),
	.check = dirstat_check,
	.queue = single_io_queue,
	.commit = stat_commit,
	.reap = single_io_reap,
};
