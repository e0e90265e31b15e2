/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "engines/engine.h"
#include "output/output.h"
#include "output/output_amounts.h"
#include "util/version.h"

/* fio's word for an rw mode. */
static const char *rw_name(uint32_t rw)
{
	static const struct { uint32_t rw; const char *name; } names[] = {
		{ RW_READ, "read" }, { RW_WRITE, "write" }, { RW_TRIM, "trim" },
		{ RW_READ | RW_WRITE, "rw" },
		{ RW_READ | RW_RANDOM, "randread" }, { RW_WRITE | RW_RANDOM, "randwrite" },
		{ RW_TRIM | RW_RANDOM, "randtrim" }, { RW_READ | RW_WRITE | RW_RANDOM, "randrw" },
		{ RW_TRIM | RW_WRITE, "trimwrite" },
		{ RW_TRIM | RW_WRITE | RW_RANDOM, "randtrimwrite" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].rw == rw)
			return names[i].name;
	}
	return "?";
}

static uint64_t least_bytes(const struct job *job, int dir)
{
	const struct block_split *s = &job->block.splits[dir];
	uint64_t least = job->block.bytes[dir];

	for (uint32_t i = 0; i < s->count; i++)
		least = s->shares[i].bytes < least ? s->shares[i].bytes : least;
	return s->count || !job->block.ranges[dir].max_bytes ? least
							     : job->block.ranges[dir].min_bytes;
}

static void print_job_line(FILE *out, const struct job *job)
{
	static const char letters[DIR_DATA_COUNT] = { 'R', 'W', 'T' };

	fprintf(out, "%s: (g=%u): rw=%s, bs=", job->name, job->group_id, rw_name(job->rw));
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++) {
		char bs[HUMANIZE_SIZE];

		fprintf(out, "%s(%c) %s-", dir ? ", " : "", letters[dir],
			output_amount(bs, job, least_bytes(job, dir), true));
		fputs(output_amount(bs, job, job->block.bytes[dir], true), out);
	}
	fprintf(out, ", ioengine=%s, iodepth=%u\n%s", job->ops->name, job->depth.iodepth,
		job->process.numjobs > 1 ? "...\n" : "");
}

static void print_starting(FILE *out, const struct job_list *jobs)
{
	uint64_t threads = 0, processes = 0;

	for (const struct job *job = jobs->jobs; job < jobs->jobs + jobs->count; job++)
		*(job->process.thread ? &threads : &processes) += job->process.numjobs;
	fputs("Starting ", out);
	if (threads)
		fprintf(out, "%" PRIu64 " thread%s%s", threads, threads == 1 ? "" : "s",
			processes ? " and " : "\n");
	if (processes)
		fprintf(out, "%" PRIu64 " process%s\n", processes, processes == 1 ? "" : "es");
}

void output_normal_jobs(FILE *out, const struct job_list *jobs)
{
	for (size_t i = 0; i < jobs->count; i++)
		print_job_line(out, &jobs->jobs[i]);
	fprintf(out, "%s\n", version_text());
	print_starting(out, jobs);
}
