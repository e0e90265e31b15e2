/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_CONFINE_CALLS_H
#define IOGATE_CONFINE_CALLS_H

/* From now on no system call of this process, nor of what it starts, makes a socket, a ring of
 * io_uring, which would make sockets, or reaches keyrings: what a mount and Landlock do not know
 * of. A connection to a socket in the filesystem is no write to a file. After
 * privileges_freeze. 0, or -errno. */
int calls_withhold(void);

#endif
