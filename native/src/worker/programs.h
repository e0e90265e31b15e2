/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_PROGRAMS_H
#define IOGATE_PROGRAMS_H

#include "worker/worker_shared.h"

enum program_time { PROGRAM_BEFORE, PROGRAM_AFTER };

/*
 * Run what the job has for before or after its I/O (exec_prerun, exec_postrun) by the shell, as
 * system(3) does, and wait for it. What it prints goes to the file JOB.prerun.txt or
 * JOB.postrun.txt in the working directory, written anew. It is ended with the engine, and the
 * one before when the run is. Its exit status; -errno with *err when it did not run, or was
 * ended by a signal.
 */
int program_run(const struct worker *w, enum program_time time, struct err *err);

#endif
