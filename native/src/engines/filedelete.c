/* SPDX-License-Identifier: Apache-2.0 */
#include "engines/no_data.h"

static int filedelete_check(struct job *job, struct err *err)
{
	int ret;

	if (job->time.loops > 1 || job->time.based)
		return err_set(err, -EINVAL, "ioengine=filedelete deletes each file once: leave "
			       "loops and time_based out, and set nrfiles");
	ret = once_check(job, "deletes files,", err);
	return ret ? ret : whole_file_check(job, true, err);
}

static int delete(struct engine *e, const struct engine_file *f)
{
	(void)e;
	return unlinkat(f->folder_fd, f->name, 0);
}

static int filedelete_commit(struct engine *e)
{
	return whole_file_commit(e, delete);
}

const struct engine_ops engine_filedelete = {
	.name = "filedelete",
	.help = "unlinkat(2), one file an I/O, of files that are laid out before",
	.depth_max = 1,
	.flags = ENGINE_DELETES | ENGINE_BY_NAME,
	.files = &engine_paths,
	.state_size = sizeof(struct single_io),
	.check = filedelete_check,
	.queue = single_io_queue,
	.commit = filedelete_commit,
	.reap = single_io_reap,
};
