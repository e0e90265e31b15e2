/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_ETA_H
#define IOGATE_ETA_H

#include <pthread.h>
#include <stdint.h>

#include "job/job.h"
#include "util/err.h"

/*
 * The line on a terminal that shows how a run is doing. It reads the run's own
 * JSON lines of progress from a pipe, and passes them on where --status-fd asked
 * for them, too.
 */
struct eta {
	int status_fd;			/* for run_options.status_fd */
	int read_fd, pass_fd, screen_fd;
	uint64_t interval_ns, newline_ns;	/* 0: each line of progress; no new lines */
	int width;			/* of what stands on the line: the next one covers it */
	uint64_t shown_ns, kept_ns;		/* when a line was shown, or kept, last */
	const struct job_list *jobs;
	pthread_t thread;
	int started;
};

/* pass_fd: --status-fd, or -1. screen_fd: where the line goes. The intervals are set in *e. */
int eta_start(struct eta *e, const struct job_list *jobs, int pass_fd, int screen_fd,
	      struct err *err);
void eta_stop(struct eta *e);			/* wipes the line, in a pipe ends it */

/* One line of progress as text for people: "Jobs: 1 (f=1): [r(1)][27.3%]…".
 * Returns its length, 0 when the line is no progress. */
enum { ETA_TEXT_MAX = 256 };
int eta_text(char text[ETA_TEXT_MAX], const char *json, const struct job_list *jobs);

#endif
