/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "confine/confine.h"
#include "confine/landlock.h"
#include "confine/mounts.h"
#include "confine/privileges.h"
#include "util/json.h"

/* What a child tells by its exit status, beside the LAYER_ bits. */
enum { THROUGH_USER = 64, FAILED = 0 };

static bool keeps_others_out(void)
{
	const int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0 && access("/", W_OK);
}

/* In a child: everything that a command would get, of an empty plan. */
static unsigned try_layers(struct confine_plan *p)
{
	struct err err = { 0 };
	bool through_user;
	unsigned given = namespaces_enter(LAYER_NAMESPACES | LAYER_NETWORK, &through_user);

	if (given & LAYER_NAMESPACES && (mounts_apply(p, &err) || !keeps_others_out()))
		given &= ~(unsigned)LAYER_NAMESPACES;
	else if (given & LAYER_NAMESPACES)
		given |= LAYER_READ_ONLY;
	if (!privileges_freeze() && !capabilities_drop(0))
		given |= LAYER_CAPABILITIES;
	if (landlock_abi() && !landlock_apply(p, "/", &err))
		given |= LAYER_LANDLOCK;
	return given | (through_user ? THROUGH_USER : 0);
}

/* Whether a process can be started in a namespace of processes. */
static unsigned try_family(struct confine_plan *p)
{
	bool through_user;
	const unsigned given = namespaces_enter(LAYER_NAMESPACES | LAYER_FAMILY, &through_user);
	const pid_t child = given & LAYER_FAMILY ? fork() : -1;

	(void)p;
	if (!child)
		_exit(getpid() == 1 ? 0 : 1);
	int status = 0;

	return child > 0 && waitpid(child, &status, 0) == child && !status ? LAYER_FAMILY : 0;
}

static unsigned probe(unsigned (*try)(struct confine_plan *p))
{
	struct confine_plan *p = calloc(1, sizeof(*p));
	int status = 0;
	pid_t child;

	if (!p)
		return FAILED;
	child = fork();
	if (!child)
		_exit((int)try(p));
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		status = 0;
	free(p);
	return (unsigned)WEXITSTATUS(status);
}

void confine_probe(FILE *out)
{
	const unsigned given = probe(try_layers) | probe(try_family);
	struct json j;

	json_init(&j, out);
	json_object_begin(&j, NULL);
	json_text(&j, "schema", "confine-probe/1");
	json_uint(&j, "landlock", given & LAYER_LANDLOCK ? (uint64_t)landlock_abi() : 0);
	json_bool(&j, "namespaces", given & LAYER_NAMESPACES);
	json_bool(&j, "user_namespace", given & THROUGH_USER);
	json_bool(&j, "read_only", given & LAYER_READ_ONLY);
	json_bool(&j, "network", given & LAYER_NETWORK);
	json_bool(&j, "capabilities", given & LAYER_CAPABILITIES);
	json_bool(&j, "family", given & LAYER_FAMILY);
	json_object_end(&j);
	fputc('\n', out);
}
