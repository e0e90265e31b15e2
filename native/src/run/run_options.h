/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_RUN_OPTIONS_H
#define IOGATE_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

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
	 * main.c prints them. May be NULL. */
	void (*say)(void *context, const char *text);
	void *say_context;
};

#endif
