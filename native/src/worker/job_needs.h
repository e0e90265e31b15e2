/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_JOB_NEEDS_H
#define IOGATE_JOB_NEEDS_H

#include "job/job.h"

/*
 * What a job asks for beyond one I/O after another. It is decided here and nowhere else,
 * once, before the worker sets up: the loops only look at the answer.
 */
struct job_needs {
	bool general;			/* the loop that looks at each I/O (loop_general.h) */
	bool log;			/* a record of each completed I/O, for its logs */
	bool iolog;			/* and of each issued one, for write_iolog */
	bool all_histograms;		/* its statistics have those of slat and lat, too */
	bool each_lat;			/* which have to be counted: they are not clat's */
	bool each_end;			/* how long each I/O took decides something: max_latency */
	bool locks;			/* of files, with other jobs (file_locks.h) */
	bool opens_files;		/* each when it has its turn (open_files.h) */
	bool priorities;		/* some I/Os have one of their own (engines/cmdprio.h) */
	bool extras;			/* account_extras() is told of each I/O: log, each_lat,
					 * priorities */
};

bool job_needs_pace(const struct job *job);	/* rate_min or rate_iops_min */
struct job_needs job_needs_of(const struct job *job, bool clock_per_io);

#endif
