/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engines/one.h"
#include "engines/trim.h"

/* Copies between a buffer and the file mapped whole. */
struct mmap_state {
	struct one one;
	char **maps;
};

static int map_file(const struct engine *e, uint32_t i)
{
	struct mmap_state *s = e->state;
	const struct engine_file *f = &e->files[i];
	const int protection = (e->job->rw & RW_READ ? PROT_READ : 0)
			       | (e->job->rw & RW_WRITE ? PROT_READ | PROT_WRITE : 0);
	void *map = mmap(NULL, f->end_bytes, protection, MAP_SHARED, f->fd, 0);

	if (map == MAP_FAILED)
		return err_set(e->err, -errno, "cannot map '%s': %s", f->path, strerror(errno));
	s->maps[i] = map;
	madvise(map, f->end_bytes, e->job->rw & RW_RANDOM ? MADV_RANDOM : MADV_SEQUENTIAL);
	return 0;
}

static void mmap_close(struct engine *e)
{
	struct mmap_state *s = e->state;

	for (uint32_t i = 0; s->maps && i < e->files_count; i++) {
		if (s->maps[i])
			munmap(s->maps[i], e->files[i].end_bytes);
	}
	free(s->maps);
	s->maps = NULL;
}

static int mmap_open(struct engine *e)
{
	struct mmap_state *s = e->state;
	int ret = 0;

	s->maps = calloc(e->files_count, sizeof(char *));
	if (!s->maps)
		return err_set(e->err, -ENOMEM, "no memory for %u files", e->files_count);
	for (uint32_t i = 0; !ret && i < e->files_count; i++)
		ret = map_file(e, i);
	if (ret)
		mmap_close(e);
	return ret;
}

static int32_t do_io(const struct engine *e, const struct io *io)
{
	char *map = ((struct mmap_state *)e->state)->maps[io->file];

	switch (io->dir) {
	case DIR_READ:
		memcpy(io->buffer, map + io->offset, io->length);
		return (int32_t)io->length;
	case DIR_WRITE:
		memcpy(map + io->offset, io->buffer, io->length);
		return (int32_t)io->length;
	case DIR_TRIM:
		return trim_now(e, io);
	case DIR_SYNC:
		return one_result(msync(map, e->files[io->file].end_bytes, MS_SYNC));
	default:
		return -EOPNOTSUPP;
	}
}

static int mmap_commit(struct engine *e)
{
	struct io *io = ((struct one *)e->state)->io;

	io->result = do_io(e, io);
	return 1;
}

const struct engine_ops engine_mmap = {
	.name = "mmap",
	.help = "memcpy(3) to and from the mapped file; fsync is msync(2)",
	.depth_max = 1,
	.flags = ENGINE_NO_DIRECT,
	.state_size = sizeof(struct mmap_state),
	.open = mmap_open,
	.close = mmap_close,
	.queue = one_queue,
	.commit = mmap_commit,
	.reap = one_reap,
};
