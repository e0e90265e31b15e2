/* SPDX-License-Identifier: Apache-2.0 */
#include "command/command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/metered.h"

static const char METER[] = "--meter";
enum { STATUS_OK, STATUS_STOPPED, STATUS_USAGE };

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

int command_is_meant(int argc, char **argv)
{
	return argc > 1 && !strcmp(argv[1], METER);
}

static uint64_t nanoseconds(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

/* On a line of its own, and the last: whatever the program said is before it. */
static int report(const struct metered *m, struct err *err)
{
	const int status = m->ended && WIFEXITED(m->status) ? WEXITSTATUS(m->status) : 0;
	const int number = m->ended && WIFSIGNALED(m->status) ? WTERMSIG(m->status) : 0;
	const int wrote = dprintf(STDOUT_FILENO,
		"\n{\"schema\": \"meter/1\", \"wall_ns\": %" PRIu64 ", \"user_ns\": %" PRIu64 ", "
		"\"system_ns\": %" PRIu64 ", \"status\": %d, \"signal\": %d, \"errno\": %d, "
		"\"said_too_much\": %s, \"context_switches\": %ld, \"minor_faults\": %ld, "
		"\"major_faults\": %ld}\n",
		m->wall_ns, nanoseconds(m->usage.ru_utime), nanoseconds(m->usage.ru_stime),
		status, number, m->start_errno, m->said_too_much ? "true" : "false",
		m->usage.ru_nvcsw + m->usage.ru_nivcsw, m->usage.ru_minflt, m->usage.ru_majflt);

	return wrote > 0 ? 0 : err_set(err, -errno, "cannot report: %s", strerror(errno));
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

int command_main(int argc, char **argv, struct err *err)
{
	struct metered m;

	if (argc < 4 || strcmp(argv[2], "--")) {
		err_set(err, -EINVAL, "use: %s -- PROGRAM [ARGUMENT...]", METER);
		return STATUS_USAGE;
	}
	/* Who may not look into this process cannot reach its open files through /proc. */
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	catch_signals();
	if (metered_run(&m, argv + 3, STDOUT_FILENO, &stop, err))
		return STATUS_STOPPED;
	if (!m.ended && !m.said_too_much && !m.start_errno) {
		err_set(err, -EINTR, "it was stopped");
		return STATUS_STOPPED;
	}
	return report(&m, err) ? STATUS_STOPPED : STATUS_OK;
}
