/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

enum { BLOCK_MAX = 1 << 30 };

static const struct option rows[] = {
	{ "ba", "blockalign", &type_sizes, JOB(block.align), NULL, 1, BLOCK_MAX,
	  .help = "What random offsets are multiples of, instead of the smallest block; there is "
		  "then no map of the blocks touched." },
	{ "bs", "blocksize", &type_sizes, JOB(block.bytes), "4k", 1, BLOCK_MAX,
	  .help = "Bytes of one I/O; `r,w,t` sets reads, writes and trims apart, and what "
		  "is left out follows the one before it." },
	{ "bs_is_seq_rand", NULL, &type_bool, JOB(block.by_order), "0",
	  .help = "Block sizes `r,w` are those of sequential and of random I/O, whatever its "
		  "direction." },
	{ "bs_unaligned", "blocksize_unaligned", &type_flag, JOB(block.unaligned), "0",
	  .help = "Any size within bsrange, not multiples of its smaller end alone." },
	{ "bsrange", "blocksize_range", &type_size_ranges, JOB(block.ranges), NULL, 1, BLOCK_MAX,
	  .help = "Block sizes from a to b, `1k-4k`: multiples of the smaller one; `r,w,t` sets "
		  "reads, writes and trims apart." },
	{ "bssplit", NULL, &type_splits, JOB(block.splits),
	  .help = "Several block sizes and the percentage of I/Os of each, `4k/60:64k/40`; a "
		  "missing percentage is a share of what is left." },
	{ .name = NULL },
};

const struct option_category options_block = { "Block size", rows };
