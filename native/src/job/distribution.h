/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_DISTRIBUTION_H
#define IOGATE_DISTRIBUTION_H

#include "job/job.h"
#include "util/arena.h"
#include "util/err.h"

/* Values that are lists of their own; 0, or -EINVAL with the reason in *err. kb_base: what k
 * stands for, as struct option_destination has it. */

/* bssplit: "4k/50:8k/:32k/10", for all directions or, after commas, for each; entries
 * without a percentage share what is left of 100 evenly. */
int bssplit_parse(const char *text, uint32_t kb_base, struct block_split splits[DIR_DATA_COUNT],
		  struct arena *memory, struct err *err);

/* "zipf:1.2", "pareto:0.2", "normal:10" (also "gauss"), each with ":centre" from 0 to 1, or
 * without numbers; skew_is tells whether a text begins with such a word, which it has to. */
bool skew_is(const char *text);
int skew_parse(const char *text, struct skew *s, struct err *err);

/* random_distribution: "random", a skew, "zoned:60/10:40/90" (percent of I/Os and of the file),
 * or "zoned_abs:60/64k:40/1m"; zones for all directions or, after commas, for each; or
 * "sequence:2,0,1", numbers of blocks. */
int distribution_parse(const char *text, uint32_t kb_base, struct distribution *d,
		       struct arena *memory, struct err *err);

#endif
