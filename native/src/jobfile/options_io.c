/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "util/units.h"

static const struct option_choice rw_choices[] = {
	{ "read", RW_READ, "sequential reads" },
	{ "write", RW_WRITE, "sequential writes" },
	{ "trim", RW_TRIM, "sequential trims, of block devices" },
	{ "randread", RW_READ | RW_RANDOM, "random reads" },
	{ "randwrite", RW_WRITE | RW_RANDOM, "random writes" },
	{ "randtrim", RW_TRIM | RW_RANDOM, "random trims, of block devices" },
	{ "rw", RW_READ | RW_WRITE, "sequential reads and writes, mixed" },
	{ "readwrite", RW_READ | RW_WRITE, "the same as rw" },
	{ "randrw", RW_READ | RW_WRITE | RW_RANDOM, "random reads and writes, mixed" },
	{ "trimwrite", RW_TRIM | RW_WRITE, "block after block is trimmed, then written" },
	{ "randtrimwrite", RW_TRIM | RW_WRITE | RW_RANDOM, "the same in random order" },
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

/* rw=write:4k: the kind of I/O, and what the number behind it does to its offsets. */
static int parse_rw(const struct option_destination *to, const char *text)
{
	struct job *job = (struct job *)(void *)(to->field - offsetof(struct job, rw));
	const char *colon = strchr(text, ':');
	const bool back = colon && colon[1] == '-';
	uint64_t step = 0;
	int code = 0;

	if (colon && !*(colon + 1 + back))
		return err_set(to->err, -EINVAL, "a number is missing behind ':'");
	if (colon)
		code = units_number(colon + 1 + back, to->kb_base, &step, to->err);
	if (!code && step > INT64_MAX)
		return err_set(to->err, -EINVAL, "'%.80s' is too far", colon + 1);
	code = code ? code : type_choice.parse(to, colon ? arena_text(to->memory, text,
						(size_t)(colon - text)) : text);
	if (!code && back && job->rw & RW_RANDOM)
		return err_set(to->err, -EINVAL, "%s blocks cannot follow each other", colon + 1);
	job->sequence.step = back ? -(int64_t)step : (int64_t)step;
	return code;
}

static const struct option_type type_rw = {
	.words = "one of",
	.parse = parse_rw,
};

static const struct option_choice sequencer_choices[] = {
	{ "sequential", SEQUENCE_BLOCKS, "the blocks after it" },
	{ "identical", SEQUENCE_IDENTICAL, "the same block again" },
	{ NULL, 0, NULL },
};

static const struct option_choice advice_choices[] = {
	{ "0", ADVICE_NONE, "nothing" },
	{ "1", ADVICE_PATTERN, "random or sequential, as rw says" },
	{ "random", ADVICE_RANDOM, "random" },
	{ "sequential", ADVICE_SEQUENTIAL, "sequential" },
	{ "noreuse", ADVICE_NOREUSE, "each byte once" },
	{ NULL, 0, NULL },
};

static const struct option_choice hint_choices[] = {
	{ "none", RWH_WRITE_LIFE_NONE, "nothing is known" },
	{ "short", RWH_WRITE_LIFE_SHORT, "shorter than that of others" },
	{ "medium", RWH_WRITE_LIFE_MEDIUM, "longer than short" },
	{ "long", RWH_WRITE_LIFE_LONG, "longer than medium" },
	{ "extreme", RWH_WRITE_LIFE_EXTREME, "longer than long" },
	{ NULL, 0, NULL },
};

static const struct option_choice generator_choices[] = {
	{ "tausworthe", GENERATOR_TAUSWORTHE, "Any order" },
	{ "lfsr", GENERATOR_LFSR, "Any order, each block once" },
	{ "tausworthe64", GENERATOR_TAUSWORTHE64, "Any order" },
	{ .name = NULL },
};

static const struct option rows[] = {
	{ "buffered", NULL, &type_bool_not, JOB(direct), "1",
	  .help = "Go through the page cache; the opposite of direct." },
	{ "direct", NULL, &type_bool, JOB(direct), "0",
	  .help = "Bypass the page cache (O_DIRECT)." },
	{ "end_fsync", NULL, &type_bool, JOB(end_fsync), "0",
	  .help = "fsync each file when its writes are done, as a part of the runtime." },
	{ "end_syncfs", NULL, &type_bool, JOB(end_syncfs), "0",
	  .help = "syncfs the filesystem of each file when its writes are done, as a part of the "
		  "runtime." },
	{ "fadvise_hint", NULL, &type_choice, JOB(advice), "1", .choices = advice_choices,
	  .help = "What the kernel is told of how the files will be read and written." },
	{ "fdatasync", NULL, &type_number, JOB(fdatasync), "0",
	  .help = "fdatasync after this many writes; 0 is never." },
	{ "fsync", NULL, &type_number, JOB(fsync), "0",
	  .help = "fsync after this many writes; 0 is never." },
	{ "norandommap", NULL, &type_flag, JOB(norandommap), "0",
	  .help = "Do not remember which blocks random I/O has touched: some are hit twice, "
		  "others never." },
	{ "num_range", NULL, &type_number, JOB(nothing.number), "1", 1, 1,
	  .help = "How many ranges a trim has: one, as several are a command of NVMe alone." },
	{ "percentage_random", NULL, &type_sizes, JOB(random_percent), "100,100,100", 0, 100,
	  .help = "How many I/Os in a hundred of a random job go to a random place; the others "
		  "follow the one before them. `r,w,t` sets the directions apart." },
	{ "random_distribution", NULL, &type_distribution, JOB(distribution), "random",
	  .help = "Which blocks random I/O prefers: none, or some by Zipf's law, a power or a "
		  "bell, or by zones, or those of a list in its order; then there is no map of "
		  "those touched." },
	{ "random_generator", NULL, &type_choice, JOB(generator), "tausworthe",
	  .choices = generator_choices,
	  .help = "What makes a random order: one of our own, whatever is asked for; with lfsr "
		  "each block comes once, with norandommap, too." },
	{ "random_sequence_stride", NULL, &type_bool, JOB(sequence_moves), "0",
	  .help = "With random_distribution=sequence, the list is that of the blocks behind the "
		  "last ones each time, and begins anew at the end of the file." },
	{ "randrepeat", "allrandrepeat", &type_bool, JOB(randrepeat), "1",
	  .keeps_alias = true,
	  .help = "Random offsets are the same in every run." },
	{ "randseed", NULL, &type_number, JOB(randseed), "0x89",
	  .help = "Seed of the random offsets while randrepeat is on." },
	{ "rw", "readwrite", &type_rw, JOB(rw), "read", .choices = rw_choices,
	  .help = "Direction of I/O, and whether offsets are sequential or random; `write:4k` "
		  "leaves a gap after each block, `randread:8` reads 8 in a row from each place." },
	{ "rw_sequencer", NULL, &type_choice, JOB(sequence.kind), "sequential",
	  .choices = sequencer_choices,
	  .help = "What `randread:8` does 8 times from each place." },
	{ "rwmixread", NULL, &type_percent, JOB(rwmixread_percent), "50",
	  .help = "Reads among mixed I/O, in percent." },
	{ "rwmixwrite", NULL, &type_percent_rest, JOB(rwmixread_percent), "50",
	  .help = "Writes among mixed I/O, in percent; of this and rwmixread, the last one "
		  "given counts." },
	{ "softrandommap", NULL, &type_bool, JOB(softrandommap), "0",
	  .help = "Go on as with norandommap where there is no memory for the map that blocks of "
		  "several sizes need; those of one size need none." },
	{ "spr_num_regions", NULL, &type_number, JOB(sprandom.regions), "100", 1, 1000000,
	  .help = "Of sprandom: in how many steps what is invalid becomes less. A job's memory "
		  "for it is 16 bytes for each block of a step." },
	{ "spr_op", NULL, &type_ratio, JOB(sprandom.over_provisioning), "0.15",
	  .help = "Of sprandom: how much more flash the device has than capacity, as a part of "
		  "its capacity." },
	{ "sprandom", NULL, &type_bool, JOB(sprandom.on), "0",
	  .help = "Leave flash as random writes without end would, in one pass over all of it: "
		  "each block is written once, and some of them again, the more the sooner they "
		  "came. For rw=randwrite on a device whose blocks were discarded." },
	{ "sync", NULL, &type_choice, JOB(sync), "none", .choices = sync_choices,
	  .help = "A write is done when it is safe on the device." },
	{ "sync_file_range", NULL, &type_sync_range, JOB(sync_range),
	  .help = "sync_file_range(2) of what was written, after this many writes each time." },
	{ "write_barrier", NULL, &type_number, JOB(nothing.number), "0",
	  .help = "Taken, and does nothing: Linux has no writes that others may not pass." },
	{ "write_hint", NULL, &type_choice, JOB(write_hint), .choices = hint_choices,
	  .help = "How long what is written to a file lives, told to the kernel (fcntl(2), "
		  "F_SET_RW_HINT)." },
	{ .name = NULL },
};

const struct option_category options_io = { "Kind of I/O", rows };
