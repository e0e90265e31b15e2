/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

static const struct option rows[] = {
	{ "io_size", "io_limit", &type_size_value, JOB(amount.io_size),
	  .help = "Bytes to transfer in all, when that is not size: less, or more by "
		  "going round." },
	{ "number_ios", NULL, &type_number, JOB(amount.ios), "0",
	  .help = "Stop after this many I/Os; 0 is no limit." },
	{ "offset", "fileoffset", &type_size_value, JOB(amount.offset), "0",
	  .help = "Where in the file or device the job begins." },
	{ "size", NULL, &type_size_value, JOB(amount.size),
	  .help = "Bytes of the file region a job works on, over all its files; in % it is a "
		  "part of the file or device." },
	{ .name = NULL },
};

const struct option_category options_amount = { "Amount of I/O", rows };
