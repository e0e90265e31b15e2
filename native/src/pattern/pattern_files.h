/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_PATTERN_FILES_H
#define IOGATE_PATTERN_FILES_H

#include "pattern/pattern_state.h"
#include "util/err.h"

/*
 * Which file comes next (file_service_type). As many files as may be open are in places; one
 * that is done makes room for the next, until a pass over the files has no more of them.
 */
enum { PATTERN_NO_FILE = UINT32_MAX };

/* Of so many files: 0, or -ENOMEM with *err. Release also after a failure. */
int pattern_files_init(struct pattern_files *f, const struct job *job, uint32_t count,
		       uint64_t seed, struct err *err);
void pattern_files_release(struct pattern_files *f);

/* All of them, from the first one. */
void pattern_files_begin(struct pattern_files *f);
/* The file that has its turn; PATTERN_NO_FILE: the pass is over. */
uint32_t pattern_files_current(struct pattern_files *f);
/* It has had one I/O; or it has no more, and another one has its turn. */
void pattern_files_advance(struct pattern_files *f);
void pattern_files_drop(struct pattern_files *f);
/* It makes room for one that is in no place, in turn without end. */
void pattern_files_rotate(struct pattern_files *f);

/* Whether it is in a place. */
bool pattern_files_has(const struct pattern_files *f, uint32_t file);

#endif
