/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_CPUS_H
#define IOGATE_CPUS_H

#include "job/job.h"
#include "util/err.h"

/* cpus_allowed: "0,2-4"; CPUs below CPUS_MAX. 0, or -EINVAL with the reason. */
int cpus_parse(const char *text, struct cpu_list *list, struct err *err);
/* Whether this machine has them all; -EINVAL with the reason. */
int cpus_check(const struct cpu_list *list, struct err *err);
/* Keep the calling thread on them; all CPUs are fine when none is listed. 0 or -errno. */
int cpus_keep_to(const struct cpu_list *list);

#endif
