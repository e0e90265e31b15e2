/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

static const struct option rows[] = {
	{ "invalidate", NULL, &type_bool, JOB(buffers.invalidate), "1",
	  .help = "Drop the target's cached pages before the job starts." },
	{ "refill_buffers", NULL, &type_flag, JOB(buffers.refill), "0",
	  .help = "New random data for each write; without it, one word a page is new." },
	{ "zero_buffers", NULL, &type_flag, JOB(buffers.zero), "0",
	  .help = "Write zeros instead of random data; files are laid out with zeros, too." },
	{ .name = NULL },
};

const struct option_category options_buffers = { "Buffers and memory", rows };
