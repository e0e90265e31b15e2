/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_PLACEMENT_H
#define IOGATE_PLACEMENT_H

#include "worker/worker_shared.h"

/* Whether this machine has the CPUs and nodes that a job names: 0, or -EINVAL with the reason.
 * Not asked while parsing: a job file is read on any machine. */
int placement_check(const struct job *job, struct err *err);

/* Whether what the calling thread makes from now on is the job's user's, as far as a job has
 * one: files are laid out before it runs. */
void placement_owner(const struct job *job, bool theirs);

/*
 * Put the calling thread where its job wants it: CPUs, memory, niceness, priority of I/O, its
 * name, and last of all its user, as the rest may need the rights of the one before. What does
 * not work is the worker's error. Of threads each has its own, its user too.
 */
void placement_take(const struct worker *w);

#endif
