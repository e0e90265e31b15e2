/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_RESOLVE_CHECKS_H
#define IOGATE_RESOLVE_CHECKS_H

#include "jobfile/given.h"
#include "jobfile/sections.h"
#include "util/text_map.h"

/* What the sections before a job's have said. */
struct earlier {
	struct given_list defaults;	/* of global sections before the first job */
	struct given_list globals;	/* of those after it, so far */
	struct text_map recorders;	/* file of write_iolog to the job that has it */
};

/*
 * What only shows when all of a job's options are known: refuse contradictions,
 * derive what follows from others (zones to bytes, zonerange), and add a warning
 * to the list for what was set but does nothing.
 */
int resolve_checks(struct earlier *earlier, const struct section *own, struct job *job,
		   struct job_list *list, struct arena *memory, struct err *err);

#endif
