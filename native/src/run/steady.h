/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_STEADY_H
#define IOGATE_STEADY_H

#include "run/sampler.h"

/*
 * Steady state: what a row does in each interval is kept for as long as a rolling window, and
 * once that is full and says what the job's criterion asks for, the row's workers are stopped.
 */
struct steady {
	const struct row_sampler *row;
	struct steady_state *state;		/* in the result; NULL: the job asks for none */
	uint64_t begin_ns, from_ns, due_ns;
	struct counters last;
};

/* Of a row whose job asks for it; nothing else. 0 or -ENOMEM. */
int steady_init(struct steady *s, const struct row_sampler *row, struct job_result *result);
/* Take the values that are due, and stop the workers when it is attained; when the next ones
 * are (ns of CLOCK_MONOTONIC). */
uint64_t steady_tick(struct steady *s, uint64_t now_ns);
void steady_release(struct job_result *result);

#endif
