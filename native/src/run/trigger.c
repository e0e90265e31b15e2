/* SPDX-License-Identifier: Apache-2.0 */
#include "run/trigger.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_STARTED = 127 };		/* as the shell has it */

bool trigger_pulled(const struct trigger *t, uint64_t begin_ns, uint64_t now_ns)
{
	if (t->timeout_ns && now_ns - begin_ns >= t->timeout_ns)
		return true;
	/* It is taken away, so that the next run is not stopped by it. */
	return t->file && !access(t->file, F_OK) && !unlink(t->file);
}

void trigger_run(const struct trigger *t)
{
	pid_t pid;

	if (!t->command)
		return;
	fflush(NULL);
	pid = fork();
	if (!pid) {
		signal(SIGPIPE, SIG_DFL);
		execl("/bin/sh", "sh", "-c", t->command, (char *)NULL);
		_exit(NOT_STARTED);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}
