/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_LIVE_H
#define IOGATE_LIVE_H

#include <pthread.h>

#include "err.h"
#include "job.h"

/*
 * The line on a terminal that shows how a run is doing. It reads the run's own
 * JSON lines of progress from a pipe, and passes them on where --status-fd asked
 * for them, too.
 */
struct live {
	int status_fd;			/* for run_options.status_fd */
	int read_fd, pass_fd, screen_fd;
	const struct job_list *jobs;
	pthread_t thread;
	int started;
};

/* pass_fd: --status-fd, or -1. screen_fd: where the line goes. */
int live_start(struct live *l, const struct job_list *jobs, int pass_fd, int screen_fd,
	       struct err *err);
void live_stop(struct live *l);			/* wipes the line */

/* One line of progress as text for people: "Jobs: 1 (f=1): [r(1)][27.3%]…".
 * Returns its length, 0 when the line is no progress. */
enum { LIVE_TEXT_MAX = 256 };
int live_text(char text[LIVE_TEXT_MAX], const char *json, const struct job_list *jobs);

#endif
