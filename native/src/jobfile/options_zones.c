/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

static const struct option_choice zonemode_choices[] = {
	{ "none", ZONE_NONE, "no zones" },
	{ "strided", ZONE_STRIDED, "zonesize bytes of I/O, then on to the next zone" },
	{ NULL, 0, NULL },
};

static const struct option rows[] = {
	{ "zonemode", NULL, &type_choice, JOB(zones.mode), "none", .choices = zonemode_choices,
	  .help = "How zonesize, zoneskip and zonerange are meant." },
	{ "zonerange", NULL, &type_size, JOB(zones.range_bytes), "0",
	  .help = "Bytes that a zone spans; 0 is zonesize." },
	{ "zonesize", NULL, &type_size, JOB(zones.size_bytes), "0",
	  .help = "Bytes of I/O in a zone before going on to the next." },
	{ "zoneskip", NULL, &type_size, JOB(zones.skip_bytes), "0",
	  .help = "Bytes to leave out between two zones." },
	{ .name = NULL },
};

const struct option_category options_zones = { "Zones", rows };
