/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_LOOP_VERIFY_H
#define IOGATE_LOOP_VERIFY_H

#include "worker/loop_state.h"

/*
 * verify, as the general loop does it. It writes until it is time to look (the end of each of
 * the job's loops, or verify_backlog), waits for what is in flight, reads what was written, each
 * block as it was written, and goes on. A job whose time is up reads nothing more.
 */
int loop_verify_init(struct loop *l);			/* 0 or -ENOMEM */
void loop_verify_release(struct loop *l);

/* What verify_state_load is for. */
void loop_verify_save(const struct loop *l);
/* False: with verify_state_load, what comes next in a job that reads was not written. */
bool loop_verify_reads(struct loop *l, const struct pattern_io *planned);
/* A write is about to be issued: its data and headers. */
void loop_verify_seal(struct loop *l, struct io *io);
/* With verify_only a write would have been issued. */
void loop_verify_note(struct loop *l, const struct pattern_io *planned);
/* It is time to look before more of the pattern is done. */
bool loop_verify_due(const struct loop *l);
/* The pattern has more, of another of the job's loops. */
void loop_verify_new_loop(struct loop *l);
/* While looking: the next block to be read; false: all were. */
bool loop_verify_next(struct loop *l, struct pattern_io *next);
/* It is read: io is its slot. */
void loop_verify_take(struct loop *l, const struct io *io);
/* Nothing is in flight, and nothing more is taken for now: look, or go on writing; false: the
 * job is done. */
bool loop_verify_turn(struct loop *l);
/* Of a read that came back whole: whether *found is damage, of this block or, with verify_async,
 * of one before. */
bool loop_verify_look(struct loop *l, const struct io *io, struct verify_found *found);
/* With verify_async, whether there is more by now; or at the end, all that there is. */
bool loop_verify_found(struct loop *l, struct verify_found *found, bool all);
/* Of verify_policy=fsynced: a sync is about to be issued; and an I/O came back. */
void loop_verify_sync(struct loop *l);
void loop_verify_done(struct loop *l, const struct io *io);
/* An I/O failed: nothing of it is read again. */
void loop_verify_failed(struct loop *l, const struct io *io);

#endif
