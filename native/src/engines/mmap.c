/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engines/single_io.h"
#include "engines/trim.h"
#include "job/option.h"

struct mmap_options {
	uint32_t huge;
};

static const struct option mmap_options[] = {
	{ "thp", NULL, &type_number, OPTION_FIELD(struct mmap_options, huge), "0",
	  .help = "Advise the kernel to map huge pages (MADV_HUGEPAGE), where it can." },
	{ .name = NULL },
};

/* Copies between a buffer and the file mapped whole. */
struct mmap_state {
	struct single_io single;
	char **maps;
};

/* As posix_fadvise() is given by the room target; no reuse is nothing that madvise() knows. */
static void advise(const struct job *job, void *map, uint64_t bytes)
{
	const bool by_pattern = job->advice == ADVICE_PATTERN;
	const struct mmap_options *own = job->engine_options;

	if (job->advice == ADVICE_RANDOM || (by_pattern && job->rw & RW_RANDOM))
		madvise(map, bytes, MADV_RANDOM);
	else if (by_pattern || job->advice == ADVICE_SEQUENTIAL)
		madvise(map, bytes, MADV_SEQUENTIAL);
	if (own && own->huge)
		madvise(map, bytes, MADV_HUGEPAGE);
}

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
	advise(e->job, map, f->end_bytes);
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
		ret = e->files[i].fd < 0 ? 0 : map_file(e, i);
	if (ret)
		mmap_close(e);
	return ret;
}

static int mmap_file_changed(struct engine *e, uint32_t file)
{
	struct mmap_state *s = e->state;

	if (s->maps[file])
		munmap(s->maps[file], e->files[file].end_bytes);
	s->maps[file] = NULL;
	return e->files[file].fd < 0 ? 0 : map_file(e, file);
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
		return single_io_result(msync(map, e->files[io->file].end_bytes, MS_SYNC));
	default:
		return -EOPNOTSUPP;
	}
}

static int mmap_commit(struct engine *e)
{
	struct io *io = ((struct single_io *)e->state)->io;

	io->result = do_io(e, io);
	return 1;
}

const struct engine_ops engine_mmap = {
	.name = "mmap",
	.help = "memcpy(3) to and from the mapped file; fsync is msync(2)",
	.depth_max = 1,
	.flags = ENGINE_NO_DIRECT,
	.state_size = sizeof(struct mmap_state),
	.options = mmap_options,
	.options_size = sizeof(struct mmap_options),
	.open = mmap_open,
	.close = mmap_close,
	.file_changed = mmap_file_changed,
	.queue = single_io_queue,
	.commit = mmap_commit,
	.reap = single_io_reap,
};
