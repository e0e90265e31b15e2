/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_CONFINE_MOUNTS_H
#define IOGATE_CONFINE_MOUNTS_H

#include "confine/plan.h"

/* Namespaces of its own for this process, as LAYER_NAMESPACES, LAYER_NETWORK and
 * LAYER_PROCESSES or LAYER_FAMILY among `wanted` ask for: those of them that came of it.
 * *through_user says whether it took a user namespace. */
unsigned namespaces_enter(unsigned wanted, bool *through_user);

/* After places_open: all is read-only and without devices but the places, and /dev holds
 * them and what every program expects. 0, or -errno with *err; a kernel before 5.12 cannot
 * do it (-ENOSYS), and nothing has changed then. */
int mounts_apply(struct confine_plan *p, struct err *err);

/* A detached mount of what is at a path from `fd` on, and to attach it there: a descriptor, 0 or
 * -errno. */
int tree_clone(int fd, const char *path, unsigned flags);
int tree_move(int tree, int fd, const char *path);

/* Names below /dev that stay, beside the places; NULL-ended. */
extern const char *const device_names[];

#endif
