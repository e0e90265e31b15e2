/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

#include "util/units.h"

enum { DEPTH_MAX = 1 << 20 };

/* As in fio, a batch of 0 is all of iodepth; the field's own 0 is that nothing was asked for. */
static int parse_batch(const struct option_destination *to, const char *text)
{
	uint64_t value;
	int code = units_number(text, to->kb_base, &value, to->err);

	if (!code)
		option_store(to, value && value < DEPTH_MAX ? value : DEPTH_MAX);
	return code;
}

static const struct option_type type_batch = {
	.words = "number",
	.parse = parse_batch,
};

/* Of completions 0 is a value of its own. No more than the depth are ever there. */
static int parse_completions(const struct option_destination *to, const char *text)
{
	uint64_t value;
	int code = units_number(text, to->kb_base, &value, to->err);

	if (!code)
		option_store(to, value < DEPTH_MAX ? value : DEPTH_MAX);
	return code;
}

static const struct option_type type_completions = {
	.words = "number",
	.parse = parse_completions,
};

static const struct option_choice submit_choices[] = {
	{ "inline", SUBMIT_INLINE, "the job itself" },
	{ "offload", SUBMIT_OFFLOAD, "the same" },
	{ NULL, 0, NULL },
};

static const struct option rows[] = {
	{ "io_submit_mode", NULL, &type_choice, JOB(depth.submit_mode), "inline",
	  .choices = submit_choices,
	  .help = "Who submits I/O: the job itself, whatever is asked for; intended_lat_ns has "
		  "what a slow device keeps waiting." },
	{ "iodepth", NULL, &type_number, JOB(depth.iodepth), "1", 1, DEPTH_MAX,
	  .help = "I/Os kept in flight; only asynchronous engines go past 1." },
	{ "iodepth_batch", "iodepth_batch_submit", &type_batch, JOB(depth.batch_submit), NULL,
	  .help = "I/Os submitted in one call, 0 is all of iodepth; without it 1, and iodepth "
		  "where that costs nothing (ioengine=null)." },
	{ "iodepth_batch_complete_max", NULL, &type_completions, JOB(depth.batch_complete_max), "0",
	  .help = "At most this many completions at a time; 0 is all that are done." },
	{ "iodepth_batch_complete_min", "iodepth_batch_complete", &type_completions,
	  JOB(depth.batch_complete_min), "1",
	  .help = "I/Os to wait for at a time when iodepth are in flight; 0 also looks for done "
		  "ones before each I/O." },
	{ "iodepth_low", NULL, &type_completions, JOB(depth.low), "0",
	  .help = "When iodepth I/Os are in flight, issue no more until only this many are left; 0 "
		  "replaces each at once." },
	{ "serialize_overlap", NULL, &type_bool, JOB(depth.serialize_overlap), "0",
	  .help = "Let an I/O wait for those in flight that touch the same bytes, if any of them "
		  "changes data." },
	{ .name = NULL },
};

const struct option_category options_depth = { "I/O depth", rows };
