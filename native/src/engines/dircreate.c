/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/stat.h>

#include "engines/directories.h"

static int dircreate_check(struct job *job, struct err *err)
{
	return directories_check(job, true, err);
}

static int make(struct engine *e, const struct engine_file *f)
{
	(void)e;
	return mkdirat(f->folder_fd, f->name, 0700);
}

static int dircreate_commit(struct engine *e)
{
	return whole_file_commit(e, make);
}

const struct engine_ops engine_dircreate = {
	.name = "dircreate",
	.help = "mkdirat(2), one directory an I/O",
	.depth_max = 1,
	.flags = ENGINE_BY_NAME,
	.files = &engine_new_directories,
	.state_size = sizeof(struct single_io),
	.check = dircreate_check,
	.queue = single_io_queue,
	.commit = dircreate_commit,
	.reap = single_io_reap,
};
