/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>

#include "engines/directories.h"

static int dirdelete_check(struct job *job, struct err *err)
{
	return directories_check(job, true, err);
}

static int delete_empty(struct engine *e, const struct engine_file *f)
{
	(void)e;
	return unlinkat(f->folder_fd, f->name, AT_REMOVEDIR);
}

static int dirdelete_commit(struct engine *e)
{
	return whole_file_commit(e, delete_empty);
}

const struct engine_ops engine_dirdelete = {
	.name = "dirdelete",
	.help = "unlinkat(2), one directory an I/O, of directories that are made before",
	.depth_max = 1,
	.flags = ENGINE_BY_NAME,
	.files = &engine_directories,
	.state_size = sizeof(struct single_io),
	.check = dirdelete_check,
	.queue = single_io_queue,
	.commit = dirdelete_commit,
	.reap = single_io_reap,
};
