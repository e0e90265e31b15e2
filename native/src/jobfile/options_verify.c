/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

static const struct option_choice verify_choices[] = {
	{ "0", VERIFY_NONE, "nothing" },
	{ "crc32c", VERIFY_CRC32C, "a header with place, run and CRC-32C in each block" },
	{ "crc32c-intel", VERIFY_CRC32C, "the same" },
	{ NULL, 0, NULL },
};

static const struct option rows[] = {
	{ "do_verify", NULL, &type_bool, JOB(verify.at_end), "1",
	  .help = "With verify, read what was written when all is written, and check it." },
	{ "verify", NULL, &type_choice, JOB(verify.method), "0", .choices = verify_choices,
	  .help = "Write blocks that can be checked, and check blocks that are read." },
	{ "verify_fatal", NULL, &type_bool, JOB(verify.fatal), "0",
	  .help = "End at the first block that is not as it was written." },
	{ .name = NULL },
};

const struct option_category options_verify = { "Verification", rows };
