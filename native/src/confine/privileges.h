/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_CONFINE_PRIVILEGES_H
#define IOGATE_CONFINE_PRIVILEGES_H

#include "confine/plan.h"

/* As much locked memory as may be: registered buffers count there. While privileges last. */
void limits_raise(void);

/* Where the host runs out of memory, what runs the job is the first to end: a spec may ask for
 * more than there is. Best effort. While /proc may be written. */
void memory_yield(void);

/* Nothing that is run gains privileges. 0, or -errno. */
int privileges_freeze(void);

/* None but the plan's capabilities, now and for all that is run. 0, or -errno. */
int capabilities_drop(uint64_t kept);

/* Every descriptor beside 0, 1, 2 and the plan's is closed; these are inherited. */
void descriptors_close(const struct confine_plan *p);

/* The environment of the command, in the plan's arena; NULL-ended. */
char **environment_of(const struct confine_plan *p);

#endif
