/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_REPLAY_H
#define IOGATE_REPLAY_H

#include "job/job.h"
#include "util/err.h"

/* The job of one clone that replays an I/O log: files, directions and sizes are the
 * log's. It lives as long as results point to it. */
struct replay;

/* 0 and *made, or -errno with *err. */
int replay_new(struct replay **made, const struct job *job, uint32_t clone, struct err *err);
const struct job *replay_job(const struct replay *r);
void replay_free(struct replay *r);		/* NULL is fine */

#endif
