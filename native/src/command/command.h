/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The room command: a program that is measured as a whole: how long it takes, what it costs, and
 * what it says, up to a bound. It needs no other room but util.
 *
 *	command.h	the door
 *	metered.h	one program, started and waited for
 */
#ifndef IOGATE_COMMAND_H
#define IOGATE_COMMAND_H

#include "util/err.h"

/*
 * Runs a program to its end:
 *
 *	iogate-engine --meter -- PROGRAM [ARGUMENT...]
 *
 * What it says on stdout and stderr goes to this process's stdout, the first MiB of it; one that
 * says more is killed. When it has ended, whatever it left behind is killed (where the first
 * process is that of a namespace, see `require processes` in confine/confine.h), and one line of
 * JSON follows as the last on stdout, which the program has no way to write to:
 *
 *	{"schema": "meter/1", "wall_ns": 1, "user_ns": 1, "system_ns": 1, "status": 0,
 *	 "signal": 0, "errno": 0, "said_too_much": false, "context_switches": 1,
 *	 "minor_faults": 1, "major_faults": 1}
 *
 * "wall_ns" is from right before the fork to its end; CPU times and counts are those of the
 * program and of what it has waited for. "errno" says why it could not start. Exit statuses:
 * 0 when the line was written, 1 when SIGINT or SIGTERM stopped it, 2 for a wrong call.
 */
int command_is_meant(int argc, char **argv);
int command_main(int argc, char **argv, struct err *err);

#endif
