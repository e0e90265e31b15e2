/* SPDX-License-Identifier: Apache-2.0 */
#include "command/metered.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 65536, LOOK_MS = 100 };

struct pipes {
	int said[2];		/* what the program says */
	int report[2];		/* a struct metered, from its keeper */
	int started[2];		/* an errno when it cannot start; closed when it has */
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int pipes_open(struct pipes *p, struct err *err)
{
	if (pipe2(p->said, O_CLOEXEC) || pipe2(p->report, O_CLOEXEC) ||
	    pipe2(p->started, O_CLOEXEC))
		return err_set(err, -errno, "no pipe: %s", strerror(errno));
	return 0;
}

static _Noreturn void become(char **argv, const struct pipes *p)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	if (dup2(p->said[1], STDOUT_FILENO) >= 0 && dup2(p->said[1], STDERR_FILENO) >= 0)
		execv(argv[0], argv);
	const int why = errno;

	if (write(p->started[1], &why, sizeof(why)) < 0)
		_exit(126);
	_exit(127);
}

/* Others may be handed to the first process of a namespace: only the program's end counts. */
static void wait_for(struct metered *m, pid_t program)
{
	pid_t ended;

	do {
		ended = wait4(-1, &m->status, 0, &m->usage);
	} while (ended != program && (ended >= 0 || errno == EINTR));
	m->ended = ended == program;
}

/* The keeper: its child is the program, and with it all that the program leaves behind ends. */
static _Noreturn void keep(char **argv, const struct pipes *p, pid_t parent)
{
	struct metered m = { .ended = false };

	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	/* In a namespace of its own it sees no parent. */
	if (getppid() != parent && getppid() != 0)
		_exit(125);
	setpgid(0, 0);
	const uint64_t began = now_ns();
	const pid_t program = fork();

	if (!program)
		become(argv, p);
	close(p->started[1]);
	if (program < 0)
		m.start_errno = errno;
	else
		wait_for(&m, program);
	m.wall_ns = now_ns() - began;
	if (!m.start_errno &&
	    read(p->started[0], &m.start_errno, sizeof(m.start_errno)) < 0)
		m.start_errno = 0;
	const ssize_t wrote = write(p->report[1], &m, sizeof(m));

	if (getpid() != 1)
		kill(0, SIGKILL);	/* its group, and itself */
	_exit(wrote == (ssize_t)sizeof(m) ? 0 : 124);
}

/* Hand on what has come, up to the bound. False at its end, or where nothing is there now. */
static bool hand_on(int from, int out, size_t *said)
{
	static char chunk[CHUNK];
	const ssize_t got = read(from, chunk, sizeof(chunk));
	const size_t room = *said < SAID_BYTES_MAX ? SAID_BYTES_MAX - *said : 0;

	if (got <= 0)
		return got < 0 && errno == EINTR;
	const size_t part = (size_t)got < room ? (size_t)got : room;

	for (size_t done = 0; done < part;) {
		const ssize_t wrote = write(out, chunk + done, part - done);

		if (wrote < 0 && errno != EINTR)
			break;		/* a full disk takes what it says, and not its time */
		done += wrote > 0 ? (size_t)wrote : 0;
	}
	*said += (size_t)got;
	return true;
}

/* Until the keeper reports or is gone, the program says too much, or *stop. */
static void watch(const struct pipes *p, int out, size_t *said, const volatile sig_atomic_t *stop)
{
	struct pollfd fds[] = { { .fd = p->report[0], .events = POLLIN },
				{ .fd = p->said[0], .events = POLLIN } };

	while (!*stop && *said <= SAID_BYTES_MAX) {
		if (poll(fds, 2, LOOK_MS) < 0 && errno != EINTR)
			return;
		if (fds[0].revents)
			return;
		if (fds[1].revents && !hand_on(p->said[0], out, said))
			fds[1].fd = -1;	/* all who could say more have closed it */
	}
}

static void close_all(const struct pipes *p)
{
	const int fds[] = { p->said[0], p->report[0], p->started[0] };

	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		close(fds[i]);
}

int metered_run(struct metered *m, char **argv, int out, const volatile sig_atomic_t *stop,
		struct err *err)
{
	struct pipes p;
	size_t said = 0;
	const pid_t parent = getpid();

	*m = (struct metered){ .ended = false };
	if (pipes_open(&p, err))
		return err->code;
	const pid_t keeper = fork();

	if (keeper < 0)
		return err_set(err, -errno, "cannot fork: %s", strerror(errno));
	if (!keeper)
		keep(argv, &p, parent);
	close(p.said[1]);
	close(p.report[1]);
	close(p.started[1]);
	watch(&p, out, &said, stop);
	if (*stop || said > SAID_BYTES_MAX) {
		kill(-keeper, SIGKILL);
		kill(keeper, SIGKILL);
	}
	while (waitpid(keeper, NULL, 0) < 0 && errno == EINTR)
		;
	if (read(p.report[0], m, sizeof(*m)) != (ssize_t)sizeof(*m))
		*m = (struct metered){ .ended = false };
	fcntl(p.said[0], F_SETFL, O_NONBLOCK);
	while (said <= SAID_BYTES_MAX && hand_on(p.said[0], out, &said))
		;
	m->said_too_much = said > SAID_BYTES_MAX;
	close_all(&p);
	return 0;
}
