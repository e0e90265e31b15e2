/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_ENGINES_NO_DATA_H
#define IOGATE_ENGINES_NO_DATA_H

#include "engines/single_io.h"

/* For ioengines whose I/O is a call of the filesystem that moves no data: a job that would
 * verify some is refused. `dirs`: the RW_ bits that such an I/O may have. Changes says whether
 * files are other than they were after any of them. 0, or -EINVAL with a text. */
int no_data_check(struct job *job, uint32_t dirs, bool changes, struct err *err);

/* For those whose I/O is a call on a file as a whole, by its path: one I/O a file, of so many
 * bytes as each file counts as. */
int whole_file_check(struct job *job, bool changes, struct err *err);

/* For those that make or delete each file: none is named twice. `does`: "deletes files", say. */
int once_check(const struct job *job, const char *does, struct err *err);

/* Steps of an engine's own way with files (engine.h) in which nothing is done. */
int leave_closed(const struct job *job, struct engine_file *file, struct err *err);
int leave_out(const struct job *job, const struct engine_file *file, struct err *err);

/* Nothing is opened; files are laid out before, and (`engine_new_paths`) are not. */
extern const struct engine_files engine_paths, engine_new_paths;

/* A call that gave 0 or -1, as an I/O's result. */
static inline int32_t no_data_result(const struct io *io, int returned)
{
	return returned ? -errno : (int32_t)io->length;
}

/* The commit() of those whose I/O is one call on a name: `call` gives 0, or -1 and errno. */
static inline int whole_file_commit(struct engine *e,
				    int (*call)(struct engine *e, const struct engine_file *f))
{
	struct io *io = ((struct single_io *)e->state)->io;

	io->result = io->dir < DIR_DATA_COUNT ? no_data_result(io, call(e, &e->files[io->file]))
					      : -EOPNOTSUPP;
	return 1;
}

#endif
