/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

static const struct option rows[] = {
	{ "description", NULL, &type_text, JOB(description),
	  .help = "Free text about the job, repeated in the results." },
	{ "name", NULL, &type_text, JOB(name),
	  .help = "Name of the job; on the command line it starts a new one." },
	{ .name = NULL },
};

const struct option_category options_job = { "Job description", rows };
