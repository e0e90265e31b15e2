/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_CGROUPS_H
#define IOGATE_CGROUPS_H

#include "run/workers.h"

/* The control groups of a run. A small process of its own takes away those that were made for it
 * once the last process of the run is gone, however it went: also when the engine is killed. */
struct cgroups {
	char **joins;			/* one a member: the file by which it joins, or NULL */
	uint32_t count;
	int line;			/* to that process, which goes on until it is closed; -1 */
	pid_t keeper;
};

/* Make the groups that jobs ask for (cgroup, cgroup_weight) and tell each member how to join.
 * 0, or -errno with *err. Release also after a failure. */
int cgroups_init(struct cgroups *c, struct workers *workers, struct err *err);
void cgroups_release(struct cgroups *c);

#endif
