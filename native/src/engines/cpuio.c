/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "engines/single_io.h"
#include "job/option.h"
#include "stats/clock.h"
#include "util/random.h"

/*
 * Keeps a CPU busy for a part of the time, as the programs do that share a machine with
 * the I/O. One "I/O" is one stretch of work; the pause after it is the job's thinktime,
 * which ends when the job does.
 */
struct cpuio_options {
	uint64_t chunk_ns;
	uint32_t load_percent;		/* 0: not given */
	enum { CPU_NOOP, CPU_QSORT } mode;
	bool exit_on_io_done;
};

enum { SORTED = 256 };			/* numbers at a time: some 10 us */

struct cpuio_state {
	struct single_io io;		/* the first: what single_io_ works on */
	struct random draws;
	uint64_t numbers[SORTED];
};

#define OWN(field) OPTION_FIELD(struct cpuio_options, field)

static const struct option_choice mode_choices[] = {
	{ "noop", CPU_NOOP, "counting" },
	{ "qsort", CPU_QSORT, "sorting, which takes more energy" },
	{ NULL, 0, NULL },
};

static const struct option cpuio_options[] = {
	{ "cpuchunks", NULL, &type_time, OWN(chunk_ns), "50ms", 1000, .unit_ns = 1000,
	  .help = "How long a stretch of work is; a number without unit is in microseconds." },
	{ "cpuload", NULL, &type_percent, OWN(load_percent),
	  .help = "Part of a CPU's time to use, in percent." },
	{ "cpumode", NULL, &type_choice, OWN(mode), "noop", .choices = mode_choices,
	  .help = "What the work is." },
	{ "exit_on_io_done", NULL, &type_bool, OWN(exit_on_io_done), "0",
	  .help = "End when no other job that runs beside it moves data any more." },
	{ .name = NULL },
};

/* Pauses between stretches of work are thinktime: load = work / (work + pause). */
static int cpuio_check(struct job *job, struct err *err)
{
	const struct cpuio_options *o = job->engine_options;

	if (!o->load_percent)
		return err_set(err, -EINVAL, "ioengine=cpuio needs cpuload, 1 to 100");
	if (!job->time.runtime_ns && !job->amount.ios && !o->exit_on_io_done)
		return err_set(err, -EINVAL, "ioengine=cpuio has no end of its own; set runtime, "
			       "or exit_on_io_done");
	job->process.ends_with_others = o->exit_on_io_done;
	job->think.pause_ns = o->chunk_ns * (100 - o->load_percent) / o->load_percent;
	return 0;
}

static int by_size(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static void sort_some(struct cpuio_state *s)
{
	for (unsigned i = 0; i < SORTED; i++)
		s->numbers[i] = random_next(&s->draws);
	qsort(s->numbers, SORTED, sizeof(s->numbers[0]), by_size);
}

/* A pause instruction would lend the time to the other thread of the core. */
static int cpuio_commit(struct engine *e)
{
	const struct cpuio_options *o = e->job->engine_options;
	struct cpuio_state *s = e->state;
	const uint64_t end = clock_ticks() + clock_ns_to_ticks(o->chunk_ns);
	volatile uint64_t work __attribute__((unused)) = 0;

	while (clock_ticks() < end) {
		work += 1;
		if (o->mode == CPU_QSORT)
			sort_some(s);
	}
	s->io.io->result = 0;
	return 1;
}

const struct engine_ops engine_cpuio = {
	.name = "cpuio",
	.help = "does no I/O: uses a part of a CPU's time",
	.depth_max = 1,
	.flags = ENGINE_NO_DATA,
	.files = &engine_no_files,
	.state_size = sizeof(struct cpuio_state),
	.options = cpuio_options,
	.options_size = sizeof(struct cpuio_options),
	.check = cpuio_check,
	.queue = single_io_queue,
	.commit = cpuio_commit,
	.reap = single_io_reap,
};
