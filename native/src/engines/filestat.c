/* SPDX-License-Identifier: Apache-2.0 */
#include "engines/no_data.h"
#include "engines/stat_call.h"

static int filestat_check(struct job *job, struct err *err)
{
	return whole_file_check(job, false, err);
}

const struct engine_ops engine_filestat = {
	.name = "filestat",
	.help = "fstatat(2), one file an I/O, of files that are laid out before",
	.depth_max = 1,
	.flags = ENGINE_BY_NAME,
	.files = &engine_paths,
	.state_size = sizeof(struct single_io),
	.options = stat_options,
	.options_size = sizeof(struct stat_options),
	.check = filestat_check,
	.queue = single_io_queue,
	.commit = stat_commit,
	.reap = single_io_reap,
};
