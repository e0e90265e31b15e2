/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_HELP_H
#define IOGATE_HELP_H

#include <stdio.h>

#include "job/job.h"
#include "util/err.h"

/* Texts made from the tables of options and engines. */

/* topic NULL: all. -EINVAL when there is no such option or engine. */
int help_options(FILE *out, const char *topic, struct err *err);
int help_engines(FILE *out, const char *topic, struct err *err);
/* docs/options.md. */
void help_reference(FILE *out);
/* The jobs as a command line that a shell can run. */
void help_showcmd(FILE *out, const struct job_list *list);

#endif
