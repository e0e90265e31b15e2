/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_RUN_OPTIONS_H
#define IOGATE_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct result;

/* --idle-prof */
enum idle_profile { IDLE_PROFILE_NONE, IDLE_PROFILE_SYSTEM, IDLE_PROFILE_CPUS };

/*
 * --trigger-file, --trigger-timeout, --trigger: once the file is there, or the time has passed,
 * all jobs end and save how far they have come with their writes (verify_state_save), and then the
 * command runs, such as one that cuts the power. Of both the first counts, once.
 */
struct trigger {
	const char *file, *command;	/* NULL: none */
	uint64_t timeout_ns;		/* 0: none */
};

/* How the whole run behaves: what the command line says beside the jobs. */
struct run_options {
	bool readonly;			/* refuse to write or trim */
	struct expected_list *expected;	/* what each target must be; NULL: anything */
	/* take I/Os back one by one, with a look at the clock each */
	bool clock_per_io;
	int status_fd;			/* JSON lines of progress; -1: none */
	uint32_t status_interval_ms;	/* of status_fd; default 500 */
	/* of the time series; default 100, more for long runs */
	uint32_t series_interval_ms;
	/* Called for things to tell while running ("Laying out IO file (1 file / 128MiB)");
	 * main.c prints them. May be NULL, as warn may: what went wrong, or will. */
	void (*say)(void *context, const char *text);
	void (*warn)(void *context, const char *text);
	void *say_context;
	enum idle_profile idle_profile;
	bool bandwidth_log;
	struct trigger trigger;
	/* What the run has come to so far, each interval; 0: never. */
	uint64_t look_interval_ns;
	void (*look)(void *say_context, const struct result *so_far);
};

#endif
