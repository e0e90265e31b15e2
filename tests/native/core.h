/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CORE_H
#define TESTS_CORE_H

/* Jobs with every option's default and a scratch folder, for the tests of the engine's core. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "engines/engines.h"
#include "job/job.h"
#include "jobfile/options.h"
#include "run/run.h"

/* ThreadSanitizer: the tests' own helper threads are alive while a run forks. */
const char *__tsan_default_options(void);
__attribute__((unused)) const char *__tsan_default_options(void)
{
	return "die_after_fork=0";
}

static char core_folder[] = "/tmp/iogate-test-XXXXXX";
static struct arena *core_memory;	/* of what the jobs' defaults point to */

__attribute__((unused))
static int core_setup(void **state)
{
	(void)state;
	return mkdtemp(core_folder) ? 0 : -1;
}

__attribute__((unused))
static int core_teardown(void **state)
{
	char command[128];

	(void)state;
	arena_free(core_memory);
	core_memory = NULL;
	snprintf(command, sizeof(command), "rm -rf '%s'", core_folder);
	return system(command);
}

__attribute__((unused))
static struct job core_job(const char *engine, uint32_t rw, uint64_t size)
{
	struct job job = { 0 };

	if (!core_memory)
		core_memory = arena_new();
	options_defaults(&job, core_memory);
	job.name = "t";
	job.ops = engine_find(engine);
	job.rw = rw;
	job.amount.size.bytes = size;
	job.files.directory = core_folder;
	job.verify.state_save = false;	/* it would stand in the working directory */
	return job;
}

/* Reads and writes bytes, or takes part as if it did (null): no call of a filesystem alone. */
static inline bool core_moves_data(const struct engine_ops *ops)
{
	return (!ops->files || engine_is_diskless(ops)) && strcmp(ops->name, "ftruncate") != 0 &&
	       !ops->donor && !(ops->flags & (ENGINE_NO_DATA | ENGINE_PUNCHES));
}

/* Engines that move data, one after the other. */
#define core_for_each_engine(ops)							\
	for (const struct engine_ops *const *ops = engines_all; *ops; ops++)		\
		if (core_moves_data(*ops))

/* Of random bytes a few hundred already have over a hundred values, so surely that none fails by
 * chance; of one byte that is repeated, or of a short pattern, they do not. */
__attribute__((unused))
static int core_values(const char *bytes, size_t count)
{
	bool seen[256] = { false };
	int values = 0;

	for (size_t i = 0; i < count; i++) {
		values += !seen[(unsigned char)bytes[i]];
		seen[(unsigned char)bytes[i]] = true;
	}
	return values;
}

/* Run jobs; the caller looks at *result and releases it. */
__attribute__((unused))
static int core_run(struct job *jobs, size_t count, struct result *result, struct err *err)
{
	const struct job_list list = { .jobs = jobs, .count = count };
	const struct run_options options = { .status_fd = -1 };

	*err = (struct err){ 0 };
	return run_jobs(&list, &options, result, err);
}

#endif
