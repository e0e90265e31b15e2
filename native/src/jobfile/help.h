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
/* All job options and ioengines as a JSON object: of an option name, alias, type, default, least,
 * most, unit_ns (what a bare number of a time counts in) and choices, as far as it has them. */
void help_json(FILE *out);
/* The jobs as a command line that a shell can run. */
void help_showcmd(FILE *out, const struct job_list *list);

#endif
