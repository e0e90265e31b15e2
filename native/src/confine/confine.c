/* SPDX-License-Identifier: Apache-2.0 */
#include "confine/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "confine/calls.h"
#include "confine/family.h"
#include "confine/landlock.h"
#include "confine/mounts.h"
#include "confine/place.h"
#include "confine/privileges.h"
#include "confine/sockets.h"

static const char CONFINE[] = "--confine", PROBE[] = "--confine-probe";

static const struct {
	enum layer layer;
	const char *what;
} layers[] = {
	{ LAYER_LANDLOCK, "Landlock" }, { LAYER_NAMESPACES, "namespaces" },
	{ LAYER_READ_ONLY, "read-only mounts" }, { LAYER_NETWORK, "a network of its own" },
	{ LAYER_CAPABILITIES, "dropped capabilities" },
	{ LAYER_PROCESSES, "processes of its own" }, { LAYER_CALLS, "withheld system calls" },
	{ LAYER_FAMILY, "processes that all end with it" },
};

int confine_is_meant(int argc, char **argv)
{
	return argc > 1 && (!strcmp(argv[1], CONFINE) || !strcmp(argv[1], PROBE));
}

static int read_plan(const char *path, char *text, size_t size, size_t *length, struct err *err)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t got = 1;

	*length = 0;
	while (fd >= 0 && *length < size && got > 0) {
		got = pread(fd, text + *length, size - *length, (off_t)*length);
		*length += got > 0 ? (size_t)got : 0;
	}
	const int code = fd < 0 || got < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return code ? err_set(err, code, "cannot read the plan '%s': %s", path, strerror(-code))
		    : 0;
}

static int load_plan(struct confine_plan *p, const char *path, struct err *err)
{
	char *text = malloc(PLAN_BYTES_MAX + 1);
	size_t length;
	int ret;

	*p = (struct confine_plan){ .arena = NULL };
	if (!text)
		return err_set(err, -ENOMEM, "no memory for the plan");
	ret = read_plan(path, text, PLAN_BYTES_MAX + 1, &length, err);
	if (!ret)
		ret = confine_plan_parse(p, text, length, err);
	free(text);
	return ret;
}

/* What the plan requires and did not come about. */
static int check_layers(const struct confine_plan *p, unsigned given, struct err *err)
{
	for (size_t i = 0; i < sizeof(layers) / sizeof(*layers); i++) {
		if (p->required & layers[i].layer & ~given)
			return err_set(err, -EPERM, "this kernel does not give %s any more, and "
				       "the run was planned with it; nothing was touched",
				       layers[i].what);
	}
	return 0;
}

/* Other credentials forget who is to be told of a parent's death. */
static int follow_parent(pid_t parent, struct err *err)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
	return getppid() == parent ? 0 : err_set(err, -ESRCH, "the one who asked is gone");
}

static int confine_filesystem(struct confine_plan *p, char *sockets, unsigned *given,
			      struct err *err)
{
	int ret = places_open(p, err);

	if (ret || !(*given & LAYER_NAMESPACES))
		return ret;
	ret = mounts_apply(p, err);
	ret = ret ? ret : sockets_cover(sockets, err);
	*given |= LAYER_READ_ONLY;
	return ret;
}

/* All but Landlock, after which a file that was made could not be removed again. */
static int confine_rights(struct confine_plan *p, unsigned given, struct err *err)
{
	descriptors_close(p);
	if (!privileges_freeze() && !capabilities_drop(p->capabilities))
		given |= LAYER_CAPABILITIES;
	if (landlock_abi())
		given |= LAYER_LANDLOCK;
	if (p->required & LAYER_CALLS && !calls_withhold())
		given |= LAYER_CALLS;
	return check_layers(p, given, err);
}

static int confine_self(struct confine_plan *p, char **words, const char *command,
			struct err *err)
{
	char *sockets = sockets_listed();
	bool through_user;
	unsigned given;
	int ret = 0;

	limits_raise();
	memory_yield();
	given = namespaces_enter(p->required, &through_user);
	if (given & LAYER_FAMILY)
		ret = family_start(words, err);
	const pid_t parent = getppid();

	ret = ret ? ret : confine_filesystem(p, sockets, &given, err);
	free(sockets);
	ret = ret ? ret : confine_rights(p, given, err);
	if (!ret && landlock_abi())
		ret = landlock_apply(p, command, err);
	ret = ret ? ret : follow_parent(parent, err);
	if (ret)
		places_undo(p);
	return ret;
}

static int run_confined(struct confine_plan *p, char **words, char **command, struct err *err)
{
	char **environment = environment_of(p);
	int ret = access(command[0], X_OK);	/* before a file is made for it */

	if (!ret)
		ret = confine_self(p, words, command[0], err);
	if (!ret)
		execve(command[0], command, environment);
	if (!err->code)
		err_set(err, -errno, "cannot start '%s': %s", command[0], strerror(errno));
	return CONFINE_REFUSED;
}

/* `words` are the launcher's arguments. */
static int confine(char **words, struct err *err)
{
	struct confine_plan *p = calloc(1, sizeof(*p));
	int status = CONFINE_USAGE;

	if (!p)
		err_set(err, -ENOMEM, "no memory for the plan");
	else if (!load_plan(p, words[2], err))
		status = run_confined(p, words, words + 4, err);
	if (p)
		confine_plan_release(p);
	free(p);
	return status;
}

int confine_main(int argc, char **argv, struct err *err)
{
	if (!strcmp(argv[1], PROBE) && argc == 2) {
		confine_probe(stdout);
		return 0;
	}
	if (strcmp(argv[1], CONFINE) || argc < 5 || strcmp(argv[3], "--")) {
		err_set(err, -EINVAL, "use: --confine PLAN -- COMMAND [ARGUMENT...], or "
			"--confine-probe");
		return CONFINE_USAGE;
	}
	if (argv[4][0] != '/') {
		err_set(err, -EINVAL, "the command '%.200s' is no absolute path", argv[4]);
		return CONFINE_USAGE;
	}
	return confine(argv, err);
}
