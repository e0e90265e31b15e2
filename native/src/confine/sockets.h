/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_CONFINE_SOCKETS_H
#define IOGATE_CONFINE_SOCKETS_H

#include "util/err.h"

/*
 * Sockets in the filesystem, which whoever may write to one can connect to: behind some (a
 * container engine, systemd) stands what root may do. The other layers do not know of them: on a
 * read-only mount they can be connected to, Landlock keeps abstract ones alone, and a network
 * namespace none that has a path. So /dev/null lies over each of them.
 */

/* What the kernel lists of them, to be freed; NULL where it cannot be asked. To be asked before
 * there is a network namespace of its own, in which there is none. */
char *sockets_listed(void);

/* After mounts_apply: covers those of `listed` (changed on the way; NULL is none), and all below
 * /run, where those of other network namespaces are, too. 0, or -errno with *err. */
int sockets_cover(char *listed, struct err *err);

#endif
