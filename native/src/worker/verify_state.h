/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_VERIFY_STATE_H
#define IOGATE_VERIFY_STATE_H

#include "job/job.h"
#include "util/err.h"
#include "verify/state.h"

/*
 * verify_state_save and _load: local-JOB-INDEX-verify.state in the folder of --aux-path or the
 * working directory, INDEX being that of the clone among all of the run.
 */

/* One that cannot be written is left out: it is not what was asked of the job. */
void verify_state_save(const struct job *job, uint32_t index, const struct verify_state *s);
/* 0, or -errno with *err; free(s->last) after. */
int verify_state_load(const struct job *job, uint32_t index, struct verify_state *s,
		      struct err *err);

#endif
