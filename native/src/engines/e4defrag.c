/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

#include "engines/no_data.h"
#include "job/option.h"

/*
 * Moves blocks of files on ext4 as a defragmenter does: a write exchanges what it covers, whole
 * blocks of the filesystem, for the same part of a donor (EXT4_IOC_MOVE_EXT). What stands in the
 * file stays: the kernel copies it. There is nothing to read, or to verify.
 *
 * donorname= is below the directory of the job, on the same filesystem, and none of its files. It
 * is made where it is not there, loses what is in it, and stays. With inplace=0 it has its blocks
 * before the job begins; with inplace=1 each write allocates them, and frees what it got for them:
 * then clones, which would free each other's, are refused.
 */
struct e4defrag_options {
	const char *donor;
	bool in_place;
};

struct e4defrag_state {
	struct single_io io;		/* the first: what single_io_ works on */
	uint64_t block_bytes;		/* of the filesystem */
};

/* As the kernel's documentation of ext4 has it. */
struct move_extent {
	uint32_t reserved, donor_fd;
	uint64_t from, donor_from, blocks, moved;
};
#define MOVE_EXTENT _IOWR('f', 15, struct move_extent)

#define OWN(field) OPTION_FIELD(struct e4defrag_options, field)

static const struct option e4defrag_options[] = {
	{ "donorname", NULL, &type_text, OWN(donor),
	  .help = "File in the directory of the job whose blocks are exchanged for those of its "
		  "files; it is made, and what is in it is lost." },
	{ "inplace", NULL, &type_bool, OWN(in_place), "0",
	  .help = "1: each write allocates blocks of the donor, and frees them; 0: all of them "
		  "are there before." },
	{ .name = NULL },
};

static int e4defrag_check(struct job *job, struct err *err)
{
	const struct e4defrag_options *o = job->engine_options;

	if (!o->donor || !*o->donor)
		return err_set(err, -EINVAL, "ioengine=e4defrag needs donorname, the name of a "
			       "file to exchange blocks with");
	if (o->in_place && job->process.numjobs > 1)
		return err_set(err, -EINVAL, "ioengine=e4defrag with inplace=1: numjobs clones "
			       "would free each other's blocks: set inplace=0, or write a job with "
			       "a donorname for each");
	return no_data_check(job, RW_WRITE, true, err);
}

static const char *e4defrag_donor(const struct job *job)
{
	return ((const struct e4defrag_options *)job->engine_options)->donor;
}

static int donor_fd(const struct engine *e)
{
	return e->files[e->files_count].fd;
}

static int e4defrag_open(struct engine *e)
{
	const struct e4defrag_options *o = e->job->engine_options;
	struct e4defrag_state *s = e->state;
	uint64_t end = 0;
	struct statfs fs;

	if (fstatfs(donor_fd(e), &fs))
		return err_set(e->err, -errno, "cannot ask for the filesystem of '%s': %s",
			       o->donor, strerror(errno));
	if (fs.f_type != EXT4_SUPER_MAGIC)
		return err_set(e->err, -EOPNOTSUPP, "'%s' is not on ext4, which alone exchanges "
			       "blocks this way: name a directory there", o->donor);
	s->block_bytes = (uint64_t)fs.f_bsize;
	for (uint32_t i = 0; i < e->files_count; i++)
		end = e->files[i].end_bytes > end ? e->files[i].end_bytes : end;
	if (o->in_place || !fallocate(donor_fd(e), 0, 0, (off_t)end))
		return 0;
	return err_set(e->err, -errno, "cannot allocate the donor '%s': %s: make size smaller, or "
		       "set inplace=1", o->donor, strerror(errno));
}

/* Whole blocks are moved: what of them lies outside of the I/O does not count. */
static int32_t moved_bytes(const struct io *io, const struct move_extent *move, uint64_t block)
{
	const uint64_t before = io->offset - move->from * block;
	const uint64_t moved = move->moved * block;

	if (moved <= before)
		return 0;
	return (int32_t)(moved - before < io->length ? moved - before : io->length);
}

static int32_t exchange(const struct engine *e, const struct io *io, bool in_place)
{
	const uint64_t block = ((struct e4defrag_state *)e->state)->block_bytes;
	const uint64_t from = io->offset / block;
	const uint64_t end = (io->offset + io->length + block - 1) / block;
	const int donor = donor_fd(e);
	struct move_extent move = { .donor_fd = (uint32_t)donor, .from = from, .donor_from = from,
				    .blocks = end - from };
	int32_t result;

	if (in_place &&
	    fallocate(donor, 0, (off_t)(from * block), (off_t)(move.blocks * block)))
		return -errno;
	result = ioctl(e->files[io->file].fd, MOVE_EXTENT, &move) ? -errno
								  : moved_bytes(io, &move, block);
	if (in_place && ftruncate(donor, 0) && result >= 0)
		result = -errno;
	return result;
}

static int e4defrag_commit(struct engine *e)
{
	const struct e4defrag_options *o = e->job->engine_options;
	struct io *io = ((struct e4defrag_state *)e->state)->io.io;

	io->result = io->dir == DIR_WRITE ? exchange(e, io, o->in_place) : single_io_other(e, io);
	return 1;
}

const struct engine_ops engine_e4defrag = {
	.name = "e4defrag",
	.help = "EXT4_IOC_MOVE_EXT: a write exchanges blocks of a file on ext4 for those of "
		"a donor",
	.depth_max = 1,
	.state_size = sizeof(struct e4defrag_state),
	.options = e4defrag_options,
	.options_size = sizeof(struct e4defrag_options),
	.check = e4defrag_check,
	.donor = e4defrag_donor,
	.open = e4defrag_open,
	.queue = single_io_queue,
	.commit = e4defrag_commit,
	.reap = single_io_reap,
};
