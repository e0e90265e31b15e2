/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

static const struct option_choice rw_choices[] = {
	{ "read", RW_READ, "sequential reads" },
	{ "write", RW_WRITE, "sequential writes" },
	{ "randread", RW_READ | RW_RANDOM, "random reads" },
	{ "randwrite", RW_WRITE | RW_RANDOM, "random writes" },
	{ "rw", RW_READ | RW_WRITE, "sequential reads and writes, mixed" },
	{ "readwrite", RW_READ | RW_WRITE, "the same as rw" },
	{ "randrw", RW_READ | RW_WRITE | RW_RANDOM, "random reads and writes, mixed" },
	{ NULL, 0, NULL },
};

static const struct option_choice sync_choices[] = {
	{ "none", SYNC_NONE, "no" },
	{ "0", SYNC_NONE, "the same as none" },
	{ "sync", SYNC_FULL, "O_SYNC: data and all metadata" },
	{ "1", SYNC_FULL, "the same as sync" },
	{ "dsync", SYNC_DATA, "O_DSYNC: data and what is needed to read it" },
	{ NULL, 0, NULL },
};

static const struct option rows[] = {
	{ "buffered", NULL, &type_bool_not, JOB(direct), "1",
	  .help = "Go through the page cache; the opposite of direct." },
	{ "direct", NULL, &type_bool, JOB(direct), "0",
	  .help = "Bypass the page cache (O_DIRECT)." },
	{ "end_fsync", NULL, &type_bool, JOB(end_fsync), "0",
	  .help = "fsync each file when its writes are done, as a part of the runtime." },
	{ "fdatasync", NULL, &type_number, JOB(fdatasync), "0",
	  .help = "fdatasync after this many writes; 0 is never." },
	{ "fsync", NULL, &type_number, JOB(fsync), "0",
	  .help = "fsync after this many writes; 0 is never." },
	{ "norandommap", NULL, &type_flag, JOB(norandommap), "0",
	  .help = "Do not remember which blocks random I/O has touched: some are hit twice, "
		  "others never." },
	{ "random_distribution", NULL, &type_distribution, JOB(distribution), "random",
	  .help = "Which blocks random I/O prefers: none, or few of them by Zipf's law; then "
		  "there is no map of those touched." },
	{ "randrepeat", "allrandrepeat", &type_bool, JOB(randrepeat), "1",
	  .help = "Random offsets are the same in every run." },
	{ "randseed", NULL, &type_number, JOB(randseed), "0x89",
	  .help = "Seed of the random offsets while randrepeat is on." },
	{ "rw", "readwrite", &type_choice, JOB(rw), "read", .choices = rw_choices,
	  .help = "Direction of I/O, and whether offsets are sequential or random." },
	{ "rwmixread", NULL, &type_percent, JOB(rwmixread_percent), "50",
	  .help = "Reads among mixed I/O, in percent." },
	{ "rwmixwrite", NULL, &type_percent_rest, JOB(rwmixread_percent), "50",
	  .help = "Writes among mixed I/O, in percent; of this and rwmixread, the last one "
		  "given counts." },
	{ "sync", NULL, &type_choice, JOB(sync), "none", .choices = sync_choices,
	  .help = "A write is done when it is safe on the device." },
	{ .name = NULL },
};

const struct option_category options_io = { "Kind of I/O", rows };
