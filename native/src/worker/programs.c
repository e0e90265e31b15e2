/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/programs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	LOOK_NS = 20 * 1000 * 1000,	/* at whether it has ended */
	PATIENCE = 100,			/* such looks, until what was asked to end is killed */
	NOT_STARTED = 127,		/* as the shell has it */
};

static int open_output(const struct job *job, const char *when, struct err *err)
{
	char path[PATH_MAX];
	int fd;

	if (snprintf(path, sizeof(path), "%s.%s.txt", job->name, when) >= (int)sizeof(path))
		return err_set(err, -ENAMETOOLONG, "%s: too long for a file's name", job->name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	return fd < 0 ? err_set(err, -errno, "%s: cannot create '%s': %s", job->name, path,
				strerror(errno)) : fd;
}

/* In the child, where only calls are allowed that are safe after a fork of threads. */
static _Noreturn void become(const char *command, int output)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
	const int nothing = open("/dev/null", O_RDONLY);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		signal(signals[i], SIG_DFL);
	setpgid(0, 0);
	if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0)
		_exit(NOT_STARTED);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(NOT_STARTED);
}

/* The whole group: a shell's children, too. */
static void end_group(pid_t pid, unsigned *looks)
{
	if (kill(-pid, *looks < PATIENCE ? SIGTERM : SIGKILL) && errno == ESRCH)
		kill(pid, SIGKILL);
	++*looks;
}

/* What follows a job is not ended with it: it may be what tidies up. */
static int wait_for(const struct worker *w, pid_t pid, bool ends_with_job)
{
	unsigned looks = 0;
	int status = 0;

	while (waitpid(pid, &status, ends_with_job ? WNOHANG : 0) == 0) {
		const bool stopped = atomic_load(&w->shared->stop);

		if (stopped)
			end_group(pid, &looks);
		futex_wait(&w->shared->stop, stopped, LOOK_NS);
	}
	return status;
}

int program_run(const struct worker *w, enum program_time time, struct err *err)
{
	const bool before = time == PROGRAM_BEFORE;
	const char *when = before ? "prerun" : "postrun";
	const char *command = before ? w->job->process.run_before : w->job->process.run_after;
	const int output = open_output(w->job, when, err);
	int status;
	pid_t pid;

	if (output < 0)
		return output;
	pid = fork();
	if (!pid)
		become(command, output);
	close(output);
	if (pid < 0)
		return err_set(err, -errno, "%s: exec_%s: cannot start a program: %s", w->job->name,
			       when, strerror(errno));
	status = wait_for(w, pid, before);
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	return err_set(err, -ECANCELED, "%s: exec_%s was ended by a signal: %s", w->job->name, when,
		       strsignal(WTERMSIG(status)));
}
