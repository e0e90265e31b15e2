/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { SIZE_TEXT_MAX = 24 };

struct profile_word {
	const char *word, *option, *unit, *help;
};

struct profile_setting {
	const char *key, *value;	/* NULL: a flag */
};

struct profile {
	const char *name;
	const struct profile_word *words;
	const struct profile_setting *common;
	const struct profile_setting *jobs;	/* "name" begins one */
};

static const struct profile_word tiobench_words[] = {
	{ "size", "size", "m", "Size in MiB; without it 4 KiB of each MiB of memory" },
	{ "block", "bs", "", "Block size in bytes" },
	{ "numruns", "loops", "", "Number of runs" },
	{ "dir", "directory", "", "Test directory" },
	{ "threads", "numjobs", "", "Number of threads" },
	{ NULL, NULL, NULL, NULL },
};

static const struct profile_setting tiobench_common[] = {
	{ "buffered", "0" }, { "bs", "4096" }, { "loops", "1" }, { "directory", "./" },
	{ "numjobs", "1" }, { "runtime", "600" }, { "group_reporting", NULL },
	{ "thread", NULL }, { "overwrite", "1" },
	{ "filename", ".fio.tio.1:.fio.tio.2:.fio.tio.3:.fio.tio.4" },
	{ "ioengine", "sync" },
	{ NULL, NULL },
};

static const struct profile_setting tiobench_jobs[] = {
	{ "name", "seqwrite" }, { "rw", "write" }, { "end_fsync", "1" },
	{ "name", "randwrite" }, { "stonewall", NULL }, { "rw", "randwrite" },
	{ "end_fsync", "1" },
	{ "name", "seqread" }, { "stonewall", NULL }, { "rw", "read" },
	{ "name", "randread" }, { "stonewall", NULL }, { "rw", "randread" },
	{ NULL, NULL },
};

static const struct profile tiobench = { "tiobench", tiobench_words, tiobench_common,
					 tiobench_jobs };

const struct profile *profile_find(const char *name, struct err *err)
{
	if (!strcmp(name, tiobench.name))
		return &tiobench;
	err_set(err, -EINVAL, "--profile: '%.40s' is not there, only tiobench%s", name,
		strcmp(name, "act") ? "" : ": its jobs, and what passes, are fio's own; write "
		"them in a job file, or use fio");
	return NULL;
}

const char *profile_option(const struct profile *p, const char *word, const char **unit)
{
	for (const struct profile_word *w = p->words; w->word; w++) {
		if (strcmp(w->word, word))
			continue;
		*unit = w->unit;
		return w->option;
	}
	return NULL;
}

static int add(struct job_builder *b, const struct profile_setting *settings, struct err *err)
{
	int code = 0;

	for (const struct profile_setting *s = settings; s->key && !code; s++) {
		if (!strcmp(s->key, "name"))
			code = job_builder_section(b, s->value, err);
		code = code ? code : job_builder_option(b, s->key, s->value, err);
	}
	return code;
}

/* As fio has it: 4 KiB of each MiB of memory. */
static uint64_t usual_bytes(void)
{
	const uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) *
				(uint64_t)sysconf(_SC_PAGESIZE);

	return (memory >> 20) << 12;
}

int profile_begin(const struct profile *p, struct job_builder *b, struct err *err)
{
	char size[SIZE_TEXT_MAX];

	snprintf(size, sizeof(size), "%" PRIu64, usual_bytes());
	return job_builder_option(b, "size", size, err) ? err->code : add(b, p->common, err);
}

int profile_jobs(const struct profile *p, struct job_builder *b, struct err *err)
{
	return add(b, p->jobs, err);
}

void profile_help(FILE *out, const struct profile *p)
{
	for (const struct profile_word *w = p->words; w->word; w++)
		fprintf(out, "%-24s: %s\n", w->word, w->help);
}
