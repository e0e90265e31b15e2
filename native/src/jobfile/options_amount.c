/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

static const struct option rows[] = {
	{ "file_append", NULL, &type_bool, JOB(amount.append), "0",
	  .help = "Begin at the end of each file; offset then does nothing, and to a device this "
		  "does nothing." },
	{ "fill_device", "fill_fs", &type_bool, JOB(amount.fill), "0",
	  .help = "Write until no space is left, which is no error; size is then the most, and "
		  "unset there is none. What reads fills first." },
	{ "io_size", "io_limit", &type_size_value, JOB(amount.io_size),
	  .help = "Total bytes to transfer, where that differs from size: with more, the job "
		  "starts over from the beginning." },
	{ "number_ios", NULL, &type_number, JOB(amount.ios), "0",
	  .help = "Stop after this many I/Os; 0 is no limit." },
	{ "offset", "fileoffset", &type_size_value, JOB(amount.offset), "0",
	  .help = "Where in the file or device the job begins." },
	{ "offset_align", NULL, &type_size, JOB(amount.align_bytes), "0",
	  .help = "An offset in % is rounded up to a multiple of this; 0 is the smallest "
		  "block." },
	{ "offset_increment", NULL, &type_size_value, JOB(amount.increment), "0",
	  .help = "How much later than the clone before it a clone begins; in % it is a part "
		  "of the file or device." },
	{ "size", NULL, &type_size_value, JOB(amount.size),
	  .help = "Bytes of the file region a job works on, over all its files; in % it is a "
		  "part of the file or device." },
	{ .name = NULL },
};

const struct option_category options_amount = { "Amount of I/O", rows };
