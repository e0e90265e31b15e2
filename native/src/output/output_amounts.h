/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_OUTPUT_AMOUNTS_H
#define IOGATE_OUTPUT_AMOUNTS_H

#include "job/job.h"
#include "util/humanize.h"

/* Bytes for people, with each base; the one that the job prefers comes first. A rate is in the
 * unit that it asks for. */
const char *output_rate(char room[HUMANIZE_SIZE], const struct job *job, uint64_t bytes,
			bool first);
const char *output_amount(char room[HUMANIZE_SIZE], const struct job *job, uint64_t bytes,
			  bool first);

#endif
