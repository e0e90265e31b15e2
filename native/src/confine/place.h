/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_CONFINE_PLACE_H
#define IOGATE_CONFINE_PLACE_H

#include "confine/plan.h"

/* Opens each place and compares what is there with the plan; makes new files, which are
 * plain ones then. 0, or -errno with *err. */
int places_open(struct confine_plan *p, struct err *err);
/* When the command is not started after all: removes the files that were made,
 * where that is not forbidden yet. */
void places_undo(const struct confine_plan *p);

/* Opens a path with no link followed, only to point at it: a descriptor, or -errno. */
int path_open(const char *path);

#endif
