/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_ENGINES_DIRECTORIES_H
#define IOGATE_ENGINES_DIRECTORIES_H

#include "engines/no_data.h"

/* For ioengines whose files are directories: whole_file_check(), and no loops of a job that makes
 * or deletes each of them once, but where unlink_each_loop has them made anew. Changes says
 * whether its I/Os do. */
int directories_check(struct job *job, bool changes, struct err *err);

/* Directories that are made before and have to be none yet (`engine_new_directories`). With
 * unlink=1 they are removed where they are empty: nothing that others put there is lost. */
extern const struct engine_files engine_directories, engine_new_directories;

#endif
