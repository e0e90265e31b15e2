/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

enum { DEPTH_MAX = 1 << 16 };

static const struct option rows[] = {
	{ "iodepth", NULL, &type_number, JOB(depth.iodepth), "1", 1, DEPTH_MAX,
	  .help = "I/Os kept in flight; only asynchronous engines go past 1." },
	{ "iodepth_batch", "iodepth_batch_submit", &type_number, JOB(depth.batch_submit), NULL, 1,
	  DEPTH_MAX,
	  .help = "I/Os handed over in one call; without it 1, and iodepth where that costs "
		  "nothing (ioengine=null)." },
	{ "iodepth_batch_complete_max", NULL, &type_number, JOB(depth.batch_complete_max), "0", 0,
	  DEPTH_MAX,
	  .help = "Most I/Os taken back at a time; 0 is all that are done." },
	{ "iodepth_batch_complete_min", "iodepth_batch_complete", &type_number,
	  JOB(depth.batch_complete_min), "1", 0, DEPTH_MAX,
	  .help = "I/Os to wait for at a time when iodepth are in flight; 0 also looks for done "
		  "ones before each I/O." },
	{ "iodepth_low", NULL, &type_number, JOB(depth.low), "0", 0, DEPTH_MAX,
	  .help = "Once iodepth are in flight, let them fall to this before there are more; 0 is "
		  "one for one." },
	{ .name = NULL },
};

const struct option_category options_depth = { "I/O depth", rows };
