/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_PROC_TEXT_H
#define IOGATE_PROC_TEXT_H

/* The kernel writes spaces and the like as \040 in mount and swap tables: in place. */
void proc_unescape(char *s);

#endif
