/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_COMMAND_METERED_H
#define IOGATE_COMMAND_METERED_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "util/err.h"

enum { SAID_BYTES_MAX = 1 << 20 };

struct metered {
	uint64_t wall_ns;
	int status;		/* as wait gives it */
	int start_errno;	/* why it did not start; 0 */
	struct rusage usage;
	bool ended;		/* else it was killed: it said too much, or *stop was set */
	bool said_too_much;
};

/* Run a program to its end, or until *stop; what it says goes to `out`. 0, or -errno with *err
 * when there is no process or pipe for it. Nothing of it is alive afterwards, where the first
 * fork enters a namespace of processes; else its own group is not. */
int metered_run(struct metered *m, char **argv, int out, const volatile sig_atomic_t *stop,
		struct err *err);

#endif
