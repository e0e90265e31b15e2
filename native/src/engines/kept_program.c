/* SPDX-License-Identifier: Apache-2.0 */
#include "engines/kept_program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	LOOKS_MOST = 1000,		/* at what was killed, until it is left to itself */
	LOOK_NS = 5 * 1000 * 1000,
	NOT_STARTED = 127,		/* as the shell has it */
	TERMINATE = 't',		/* what is said by the leash */
};

/* All that the keeper and the program know: no memory is allocated between fork and exec. */
struct kept {
	char *const *argv;
	int fds[4];			/* see enum */
	pid_t guard, keeper, program;
	bool ended;
};
enum { OUT, ERR, LEASH, REPORT };

static void nothing(int signal)
{
	(void)signal;
}

/* Closes all descriptors but 0 to 2 and those of `k`. */
static void close_others(const struct kept *k)
{
	unsigned from = 3;

	for (;;) {
		unsigned next = ~0u;

		for (size_t i = 0; i < sizeof(k->fds) / sizeof(*k->fds); i++) {
			const unsigned fd = (unsigned)k->fds[i];

			next = fd >= from && fd < next ? fd : next;
		}
		if (next > from)
			close_range(from, next == ~0u ? next : next - 1, 0);
		if (next == ~0u)
			return;
		from = next + 1;
	}
}

static void tell(const struct kept *k, struct program_end end)
{
	while (write(k->fds[REPORT], &end, sizeof(end)) < 0 && errno == EINTR)
		;
}

static _Noreturn void become(const struct kept *k, const sigset_t *before)
{
	const int input = open("/dev/null", O_RDONLY | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != k->keeper)
		_exit(NOT_STARTED);
	setpgid(0, 0);
	for (int signal_number = 1; signal_number < NSIG; signal_number++)
		signal(signal_number, SIG_DFL);
	sigprocmask(SIG_SETMASK, before, NULL);
	if (input >= 0 && dup2(input, 0) >= 0 && dup2(k->fds[OUT], 1) >= 0 &&
	    dup2(k->fds[ERR], 2) >= 0)
		execvp(k->argv[0], k->argv);
	tell(k, (struct program_end){ .error = errno });
	_exit(NOT_STARTED);
}

/* It stays a zombie, so that no other process has its number, or that of its group. */
static void look(struct kept *k)
{
	siginfo_t info = { 0 };

	if (k->ended || waitid(P_PID, (id_t)k->program, &info, WEXITED | WNOHANG | WNOWAIT) ||
	    !info.si_pid)
		return;
	k->ended = true;
	tell(k, (struct program_end){ .status = info.si_code == CLD_EXITED ? info.si_status << 8
									  : info.si_status });
}

static void kill_children(void)
{
	char text[4096], *at = text;
	const int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
	const ssize_t got = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = '\0';
	for (long pid = strtol(at, &at, 10); pid > 0; pid = strtol(at, &at, 10))
		kill((pid_t)pid, SIGKILL);
}

/* With each that dies, its children become ours: until there is none. One that may not be killed,
 * as it is another user's by now, is left. */
static void kill_all(void)
{
	const struct timespec pause = { .tv_nsec = LOOK_NS };

	for (int looks = 0; looks < LOOKS_MOST; looks++) {
		pid_t gone;

		kill_children();
		while ((gone = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (gone < 0)
			return;
		nanosleep(&pause, NULL);
	}
}

/* Until the leash is let go, or the guard is killed. */
static void watch(struct kept *k, const sigset_t *awake)
{
	struct pollfd leash = { .fd = k->fds[LEASH], .events = POLLIN };
	char word;

	while (getppid() == k->guard) {
		look(k);
		if (ppoll(&leash, 1, NULL, awake) <= 0)
			continue;	/* a child has ended */
		if (read(leash.fd, &word, 1) <= 0)
			return;
		if (word == TERMINATE && !k->ended)
			kill(-k->program, SIGTERM);
	}
}

/* What a keeper that is killed leaves behind comes to its guard. */
static _Noreturn void stand_behind(const struct kept *k)
{
	close_range(0, ~0u, 0);
	while (waitpid(k->keeper, NULL, 0) < 0 && errno == EINTR)
		;
	kill_all();
	_exit(0);
}

/* Goes on in a new process, whose guard the caller becomes. The signal says that it was killed. */
static void have_guard(struct kept *k)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	k->guard = getpid();
	k->keeper = fork();
	if (k->keeper > 0)
		stand_behind(k);
	if (k->keeper < 0) {
		tell(k, (struct program_end){ .error = errno });
		_exit(NOT_STARTED);
	}
	prctl(PR_SET_PDEATHSIG, SIGCHLD);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	k->keeper = getpid();
}

/* Of signals only that of a child reaches it, and only while it waits. */
static _Noreturn void keep(struct kept *k)
{
	struct sigaction action = { .sa_handler = nothing };
	sigset_t all, awake, before;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	awake = all;
	sigdelset(&awake, SIGCHLD);
	sigemptyset(&before);
	sigaction(SIGCHLD, &action, NULL);
	close_others(k);
	have_guard(k);
	k->program = fork();
	if (!k->program)
		become(k, &before);
	if (k->program < 0) {
		tell(k, (struct program_end){ .error = errno });
		_exit(NOT_STARTED);
	}
	close(k->fds[OUT]);
	close(k->fds[ERR]);
	setpgid(k->program, k->program);	/* whoever of both is first */
	watch(k, &awake);
	kill(-k->program, SIGKILL);
	kill_all();
	_exit(0);
}

int kept_program_start(struct kept_program *k, char *const argv[], int out, int err)
{
	int leash[2], report[2], code = 0;

	*k = (struct kept_program){ .leash = -1, .report = -1 };
	if (pipe2(leash, O_CLOEXEC))
		return -errno;
	if (pipe2(report, O_CLOEXEC)) {
		code = -errno;
		close(leash[0]);
		close(leash[1]);
		return code;
	}
	k->keeper = fork();
	if (!k->keeper) {
		struct kept kept = { .argv = argv, .fds = { [OUT] = out, [ERR] = err,
				     [LEASH] = leash[0], [REPORT] = report[1] } };

		keep(&kept);
	}
	code = k->keeper < 0 ? -errno : 0;
	close(leash[0]);
	close(report[1]);
	k->leash = leash[1];
	k->report = report[0];
	if (code) {
		k->keeper = 0;
		close(k->leash);
		close(k->report);
	}
	return code;
}

int kept_program_wait(struct kept_program *k, int timeout_ms, struct program_end *end)
{
	struct pollfd report = { .fd = k->report, .events = POLLIN };

	if (poll(&report, 1, timeout_ms) <= 0)
		return 0;
	if (read(k->report, end, sizeof(*end)) != sizeof(*end))
		*end = (struct program_end){ .error = ECHILD };	/* the keeper was killed */
	k->ended = true;
	return 1;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Until it has ended, or its time is over. */
static void wait_some(struct kept_program *k, uint64_t grace_ns)
{
	const uint64_t end = now_ns() + grace_ns;
	struct program_end how;

	for (uint64_t now = now_ns(); now < end; now = now_ns()) {
		const uint64_t left_ms = (end - now) / 1000000 + 1;

		if (kept_program_wait(k, left_ms < 1000 ? (int)left_ms : 1000, &how))
			return;
	}
}

void kept_program_end(struct kept_program *k, uint64_t grace_ns)
{
	const char word = TERMINATE;

	if (!k->keeper)
		return;
	if (!k->ended && write(k->leash, &word, 1) == 1)
		wait_some(k, grace_ns);
	close(k->leash);
	while (waitpid(k->keeper, NULL, 0) < 0 && errno == EINTR)
		;
	close(k->report);
	k->keeper = 0;
}
