/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

enum { BLOCK_MAX = 1 << 30 };

static const struct option rows[] = {
	{ "bs", "blocksize", &type_sizes, JOB(block.bytes), "4k", 1, BLOCK_MAX,
	  .help = "Bytes of one I/O; `r,w,t` sets reads, writes and trims apart, and what "
		  "is left out follows the one before it." },
	{ "bssplit", NULL, &type_splits, JOB(block.splits),
	  .help = "Several block sizes and the percentage of I/Os of each, `4k/60:64k/40`; a "
		  "missing percentage is a share of what is left." },
	{ .name = NULL },
};

const struct option_category options_block = { "Block size", rows };
