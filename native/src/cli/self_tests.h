/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_SELF_TESTS_H
#define IOGATE_SELF_TESTS_H

#include <stdio.h>

#include "util/err.h"

/* Commands that run no job, and tell what this machine does. 0, or -errno with *err. */

/* --crctest: how fast each checksum of verify= is, in MiB/s; names: those wanted, separated by
 * commas, NULL for all. */
int self_test_checksums(FILE *out, const char *names, struct err *err);
/* --cpuclock-test: whether the time stamp counters of all CPUs keep one time. */
int self_test_clock(FILE *out, struct err *err);
/* --idle-prof=calibrate */
int self_test_idle_unit(FILE *out, struct err *err);

#endif
