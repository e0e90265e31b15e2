/* SPDX-License-Identifier: Apache-2.0 */
#include "confine/family.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const int handed_on[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
enum { HANDED_ON = sizeof(handed_on) / sizeof(*handed_on), LOST = 125, SIGNALLED = 128 };

static volatile sig_atomic_t command;

static void hand_on(int number)
{
	const int kept = errno;

	kill((pid_t)command, number);
	errno = kept;
}

/* A list of processes shows it as what it is, and not as the command. */
static void rename_to(char **words)
{
	for (size_t i = 2; words[i]; i++)
		memset(words[i], 0, strlen(words[i]));
}

/* Also of a parent in another namespace, whose number says nothing here. */
static bool has_ended(int process)
{
	struct pollfd asked = { .fd = process, .events = POLLIN };

	return poll(&asked, 1, 0) > 0;
}

/* The first of the namespace: no signal from within ends it, and the kernel ends all with it.
 * Where it sees its parent, that is not in another namespace. A parent that ended before it asked
 * to end with it is told by `parent`, a descriptor of that. */
static _Noreturn void stay(int parent, char **words)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	if (getppid() || has_ended(parent))
		_exit(LOST);
	signal(SIGCHLD, SIG_IGN);	/* orphans leave nothing to be waited for */
	close_range(0, ~0u, 0);	/* what the command has open alone tells when it has ended */
	rename_to(words);
	for (;;)
		pause();
}

static int wait_for(pid_t child)
{
	int status = 0;

	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return LOST << 8;
	}
	return status;
}

static _Noreturn void end_as(int status)
{
	const struct rlimit none = { 0, 0 };

	if (!WIFSIGNALED(status))
		_exit(WEXITSTATUS(status));
	setrlimit(RLIMIT_CORE, &none);	/* there is one, if any, of the command */
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	_exit(SIGNALLED + WTERMSIG(status));
}

static _Noreturn void watch(pid_t first, const sigset_t *before, char **words)
{
	struct sigaction action = { .sa_handler = hand_on };
	int status;

	for (size_t i = 0; i < HANDED_ON; i++)
		sigaction(handed_on[i], &action, NULL);
	sigprocmask(SIG_SETMASK, before, NULL);
	close_range(0, ~0u, 0);
	rename_to(words);
	status = wait_for((pid_t)command);
	for (size_t i = 0; i < HANDED_ON; i++)
		signal(handed_on[i], SIG_IGN);	/* its number may be another's by now */
	kill(first, SIGKILL);
	wait_for(first);	/* returns once none of the namespace is left */
	end_as(status);
}

int family_start(char **words, struct err *err)
{
	sigset_t held, before;
	pid_t first, second;
	const int self = (int)syscall(SYS_pidfd_open, getpid(), 0);	/* Linux 5.3; or -1 */

	sigemptyset(&held);
	for (size_t i = 0; i < HANDED_ON; i++)
		sigaddset(&held, handed_on[i]);
	sigprocmask(SIG_BLOCK, &held, &before);
	first = fork();
	if (!first)
		stay(self, words);
	second = first < 0 ? first : fork();
	if (second > 0) {
		command = second;
		watch(first, &before, words);
	}
	const int why = errno;

	sigprocmask(SIG_SETMASK, &before, NULL);
	close(self);
	if (!second)
		return 0;

	if (first > 0)
		kill(first, SIGKILL);
	return err_set(err, -why, "no process: %s", strerror(why));
}
