/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_OPEN_FILES_H
#define IOGATE_OPEN_FILES_H

#include "worker/loop_state.h"

/*
 * For jobs that open their files when they have their turn: openfiles, unlink_each_loop. A file
 * is closed to make room for another when nothing of it is in flight.
 */

/* 0 or -ENOMEM. Release also after a failure. */
int open_files_init(struct loop *l);
void open_files_release(struct loop *l);

/* Have it open: false if the job failed, or has to wait for what is in flight first. */
bool open_files_ready(struct loop *l, uint32_t file);

/* A loop begins: what the last one wrote goes. Nothing is in flight. */
void open_files_renew(struct loop *l);

#endif
