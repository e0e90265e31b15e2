/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_ENGINES_KEPT_PROGRAM_H
#define IOGATE_ENGINES_KEPT_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A program that ends with whoever started it, and with it all that it has started: its parent is
 * a process of its own, the keeper, which inherits what the program leaves behind. The keeper
 * holds one end of a pipe. When the other end is closed, as it is when the process that has it
 * dies of whatever, the keeper kills all of them. Its own parent, the guard, does so when the
 * keeper is killed, and the keeper when the guard is.
 */
struct kept_program {
	pid_t keeper;			/* its guard, that is; 0: none runs */
	int leash, report;		/* to the keeper, and from it */
	bool ended;
};

/* How it ended. */
struct program_end {
	int error;			/* it was not started: an errno value; else 0 */
	int status;			/* as of waitpid(2) */
};

/* Starts argv[0], looked for in PATH as execvp(3) does, with nothing to read and these two for
 * what it says. It inherits no other descriptor, and signals are as at a login. 0, or -errno; that
 * there is no such program is told by kept_program_wait(). */
int kept_program_start(struct kept_program *k, char *const argv[], int out, int err);

/* 1, and how it ended; 0: it runs on after so many milliseconds. Not again after 1. */
int kept_program_wait(struct kept_program *k, int timeout_ms, struct program_end *end);

/* Ends it: SIGTERM to it and its process group, and when it is still there after grace_ns, SIGKILL.
 * Whatever it has started and left behind is killed at once then. */
void kept_program_end(struct kept_program *k, uint64_t grace_ns);

#endif
