/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_TEXTFILE_H
#define IOGATE_TEXTFILE_H

#include "jobfile/jobfile.h"

/* The files a command line names: the one place where the front reads any. */

/* Add the sections of a job file, "-" being stdin. */
int textfile_add_jobs(struct job_builder *b, const char *path, struct err *err);

/* For struct job_source: include lines are looked up from the working directory,
 * then from the including file's; ${NAME} comes from the process's environment. */
extern const struct job_source textfile_source;

#endif
