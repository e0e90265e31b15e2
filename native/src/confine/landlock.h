/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_CONFINE_LANDLOCK_H
#define IOGATE_CONFINE_LANDLOCK_H

#include "confine/plan.h"

/* The version of Landlock that this kernel has; 0 for none. */
int landlock_abi(void);

/* The places, what is to be read, and nothing else, as far as the kernel's version goes.
 * Needs no_new_privs or CAP_SYS_ADMIN. 0, or -errno with *err. */
int landlock_apply(const struct confine_plan *p, const char *command, struct err *err);

#endif
