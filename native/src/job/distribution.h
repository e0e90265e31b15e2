/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_DISTRIBUTION_H
#define IOGATE_DISTRIBUTION_H

#include "job/job.h"
#include "util/arena.h"
#include "util/err.h"

/* Values that are lists of their own; 0, or -EINVAL with the reason in *err. */

/* bssplit: "4k/50:8k/:32k/10", for all directions or, after commas, for each; entries
 * without a percentage share what is left of 100 evenly. */
int bssplit_parse(const char *text, struct block_split splits[DIR_DATA_COUNT],
		  struct arena *memory, struct err *err);

/* random_distribution: "random" or "zipf:theta" (theta from 0.01 to 10). */
int distribution_parse(const char *text, struct distribution *d, struct err *err);

#endif
