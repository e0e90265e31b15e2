/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>

#include "engines/no_data.h"

/* What is there already is opened, as nothing can be made twice. The file is closed when the
 * next one is queued, where no time is taken. */
struct filecreate_state {
	struct single_io single;	/* the first: what single_io_ works on */
	int fd;
};

static int filecreate_check(struct job *job, struct err *err)
{
	if (job->files.no_create)
		return err_set(err, -EINVAL, "ioengine=filecreate makes files, and "
			       "allow_file_create=0 forbids it: leave it out");
	return whole_file_check(job, true, err);
}

static int filecreate_open(struct engine *e)
{
	((struct filecreate_state *)e->state)->fd = -1;
	return 0;
}

static void filecreate_close(struct engine *e)
{
	struct filecreate_state *s = e->state;

	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

static void filecreate_queue(struct engine *e, struct io *io)
{
	filecreate_close(e);
	single_io_queue(e, io);
}

static int make(struct engine *e, const struct engine_file *f)
{
	struct filecreate_state *s = e->state;

	s->fd = openat(f->folder_fd, f->name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	return s->fd < 0 ? -1 : 0;
}

static int filecreate_commit(struct engine *e)
{
	return whole_file_commit(e, make);
}

const struct engine_ops engine_filecreate = {
	.name = "filecreate",
	.help = "openat(2) with O_CREAT, one file an I/O: makes files and moves no data",
	.depth_max = 1,
	.flags = ENGINE_BY_NAME,
	.files = &engine_new_paths,
	.state_size = sizeof(struct filecreate_state),
	.check = filecreate_check,
	.open = filecreate_open,
	.close = filecreate_close,
	.queue = filecreate_queue,
	.commit = filecreate_commit,
	.reap = single_io_reap,
};
