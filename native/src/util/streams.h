/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_STREAMS_H
#define IOGATE_STREAMS_H

/*
 * stdin, stdout and stderr that a caller has closed. The next file that is opened takes such a
 * number, and what is printed would go into it: a log, or the disk that is measured.
 */

/* Before anything is opened: give each of the three that is closed something that nobody can
 * read or write. What is printed there fails as it would without: EBADF. */
void streams_hold(void);

#endif
