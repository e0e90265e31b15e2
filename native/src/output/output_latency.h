/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_OUTPUT_LATENCY_H
#define IOGATE_OUTPUT_LATENCY_H

#include <stdio.h>

#include "job/job.h"
#include "stats/stats.h"

/* Latencies for people, each in the largest unit that leaves digits to the smallest value. */

/* "lat (usec): min=…", nothing of none. */
void output_moments(FILE *out, const char *name, const struct moments *m);
/* The percentiles that the job asks for. */
void output_percentiles(FILE *out, const char *name, const struct histogram *h,
			const struct moments *m, const struct job *job);

#endif
