/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_LOCK_TABLE_H
#define IOGATE_LOCK_TABLE_H

#include "run/workers.h"

/* The locks of jobs with lockfile, in memory that all workers map: one for each name of a file. */

/* Before workers start: 0 or -errno with *err. Without such jobs there are none. */
int lock_table_make(struct workers *workers, struct err *err);
void lock_table_release(struct workers *workers);

#endif
