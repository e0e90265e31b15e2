/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_ROWS_H
#define IOGATE_ROWS_H

#include "run/result.h"
#include "run/sampler.h"
#include "run/steady.h"
#include "run/workers.h"

/* Rows of the report: one a clone, or one for all jobs of a group that ask for
 * group_reporting. Each has a sampler that looks at its clones. */
struct rows {
	struct result *result;			/* its rows live here */
	struct row_sampler *samplers;		/* one a row */
	struct steady *steady;			/* the same */
};

/* Make result->rows of all members. 0, or -errno; release also after a failure. */
int rows_init(struct rows *r, struct result *result, struct workers *workers, uint32_t interval_ms,
	      struct err *err);
void rows_release(struct rows *r);

/* Take the samples of members first .. end-1 that are due; when the next ones are. */
uint64_t rows_sample(struct rows *r, const struct workers *workers, uint32_t first, uint32_t end,
		     uint64_t now_ns);
/* For who looks before the end: the means of the samples so far, what is known of a member beside
 * its statistics, and what a job does not want to be told. */
void rows_settle_rates(struct job_result *row);
void rows_note_member(struct job_result *row, const struct member *m, uint64_t now_ns);
void rows_leave_out(struct worker_stats *s, const struct job *job);
/* All members first .. end-1 have ended: last samples, sums, errors. */
void rows_finish(struct rows *r, const struct workers *workers, uint32_t first, uint32_t end);

#endif
