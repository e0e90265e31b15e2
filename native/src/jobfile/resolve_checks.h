/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_RESOLVE_CHECKS_H
#define IOGATE_RESOLVE_CHECKS_H

#include "jobfile/check.h"

/*
 * What only shows when all of a job's options are known: refuse contradictions,
 * derive what follows from others (zones to bytes, zonerange), and add a warning
 * to the list for what was set but does nothing.
 */
int resolve_checks(struct earlier *earlier, const struct section *own, struct job *job,
		   struct job_list *list, struct arena *memory, struct err *err);

#endif
