/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct option_choice zonemode_choices[] = {
	{ "none", ZONE_NONE, "no zones" },
	{ "strided", ZONE_STRIDED, "zonesize bytes of I/O, then on to the next zone" },
	{ "zbd", ZONE_ZBD, "zones that are written from beginning to end, then emptied" },
	{ NULL, 0, NULL },
};

/* zone_reset_threshold=0.8 */
static int parse_ratio(const struct option_destination *to, const char *text)
{
	char *rest;
	const double ratio = strtod(text, &rest);

	if (rest == text || *rest || !(ratio >= 0 && ratio <= 1))
		return err_set(to->err, -EINVAL, "'%.80s' is no number from 0 to 1", text);
	memcpy(to->field, &ratio, sizeof(ratio));
	return 0;
}

const struct option_type type_ratio = {
	.words = "0 to 1, with a fraction",
	.width = sizeof(double),
	.parse = parse_ratio,
};

static const struct option rows[] = {
	{ "ignore_zone_limits", NULL, &type_bool, JOB(nothing.flag), "0",
	  .help = "Taken, and does nothing: zones of zonemode=zbd have no limits of a device." },
	{ "job_max_open_zones", NULL, &type_number, JOB(zones.job_max_open), "0", 0, 4096,
	  .help = "Of zonemode=zbd: how many zones a clone has written in part at a time, where "
		  "that is less than max_open_zones." },
	{ "max_open_zones", NULL, &type_number, JOB(zones.max_open), "0", 0, 4096,
	  .help = "Of zonemode=zbd: how many zones of a file are written in part at a time; 0 is "
		  "no limit." },
	{ "read_beyond_wp", NULL, &type_bool, JOB(zones.read_beyond), "0",
	  .help = "Of zonemode=zbd: read what the job has not written, too." },
	{ "recover_zbd_write_error", NULL, &type_bool, JOB(nothing.flag), "0",
	  .help = "Taken, and does nothing: where a zone is written next is known to the job." },
	{ "write_zone_remainder", NULL, &type_bool, JOB(zones.write_remainder), "0",
	  .help = "Of zonemode=zbd: the last block of a zone is as large as what is left of it; "
		  "else what holds no whole block is left out." },
	{ "zone_reset_frequency", NULL, &type_ratio, JOB(zones.reset_frequency), "0",
	  .help = "Of zonemode=zbd: the share of writes that empty their zone first, while "
		  "zone_reset_threshold is passed." },
	{ "zone_reset_threshold", NULL, &type_ratio, JOB(zones.reset_threshold), "0",
	  .help = "Of zonemode=zbd: how much of all zones is filled before writes begin to empty "
		  "some, as zone_reset_frequency says." },
	{ "zonecapacity", NULL, &type_size, JOB(zones.capacity_bytes), "0",
	  .help = "Of zonemode=zbd: bytes that are written of each zone; 0 is zonesize." },
	{ "zonemode", NULL, &type_choice, JOB(zones.mode), "none", .choices = zonemode_choices,
	  .help = "How zonesize, zoneskip and zonerange are meant." },
	{ "zonerange", NULL, &type_size, JOB(zones.range_bytes), "0",
	  .help = "Bytes that a zone spans; 0 is zonesize." },
	{ "zonesize", NULL, &type_size, JOB(zones.size_bytes), "0",
	  .help = "Bytes of I/O in a zone before going on to the next." },
	{ "zoneskip", NULL, &type_size_value, JOB(zones.skip), "0",
	  .help = "Bytes to skip between two zones, or a number of zones (`z`)." },
	{ .name = NULL },
};

const struct option_category options_zones = { "Zones", rows };
