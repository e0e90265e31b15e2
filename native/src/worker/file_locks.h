/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_FILE_LOCKS_H
#define IOGATE_FILE_LOCKS_H

#include "worker/loop_state.h"

/*
 * lockfile: a job holds the lock of a file while I/O of it is in flight. It waits for another
 * job only while it holds no lock itself, so that no two wait for each other.
 */

enum { FILE_LOCK_WRITER = 1u << 31 };	/* and the worker's index: who holds it alone */

/* 0 or -ENOMEM. */
int file_locks_init(struct loop *l);
/* All that are held, too. */
void file_locks_release(struct loop *l);

/* Hold it for one more I/O: false if the job has to wait for what is in flight, or ends. *now
 * is later when it had to wait. */
bool file_locks_take(struct loop *l, const struct pattern_io *io, uint64_t *now);
/* An I/O came back, perhaps not all of it. */
void file_locks_done(struct loop *l, const struct io *io);

/* Of a worker that ended without it: what it held is free. */
void file_locks_drop(const struct worker *w);

#endif
