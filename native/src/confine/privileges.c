/* SPDX-License-Identifier: Apache-2.0 */
#include "confine/privileges.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CAPABILITIES_MAX = 64 };

void limits_raise(void)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	struct rlimit own;

	if (setrlimit(RLIMIT_MEMLOCK, &all) && !getrlimit(RLIMIT_MEMLOCK, &own)) {
		own.rlim_cur = own.rlim_max;
		setrlimit(RLIMIT_MEMLOCK, &own);
	}
}

void memory_yield(void)
{
	static const char first[] = "1000";
	const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, first, sizeof(first) - 1) < 0)
		errno = 0;		/* it runs all the same */
	close(fd);
}

int privileges_freeze(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;
}

/* The bounding set is what root gets back when it runs something. */
static int drop_bounding(uint64_t kept)
{
	for (unsigned long number = 0; number < CAPABILITIES_MAX; number++) {
		const int has = prctl(PR_CAPBSET_READ, number, 0, 0, 0);

		if (has < 0)
			return 0;		/* past the last one of this kernel */
		if (has && !(kept >> number & 1) &&
		    prctl(PR_CAPBSET_DROP, number, 0, 0, 0) && errno != EPERM)
			return -errno;
	}
	return 0;
}

int capabilities_drop(uint64_t kept)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	int ret;

	if (syscall(SYS_capget, &header, data))
		return -errno;
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	ret = drop_bounding(kept);
	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		data[i].permitted &= (uint32_t)(kept >> (32 * i));
		data[i].effective = data[i].permitted;
		data[i].inheritable = 0;
	}
	return ret ? ret : syscall(SYS_capset, &header, data) ? -errno : 0;
}

static bool is_kept(const struct confine_plan *p, int fd)
{
	for (size_t i = 0; i < p->fds_count; i++) {
		if (p->fds[i] == fd)
			return true;
	}
	return fd <= STDERR_FILENO;
}

void descriptors_close(const struct confine_plan *p)
{
	DIR *d = opendir("/proc/self/fd");
	const struct dirent *entry;

	while (d && (entry = readdir(d))) {
		const int fd = (int)strtol(entry->d_name, NULL, 10);

		if (entry->d_name[0] != '.' && !is_kept(p, fd))
			fcntl(fd, F_SETFD, FD_CLOEXEC);
	}
	if (d)
		closedir(d);
	for (size_t i = 0; i < p->fds_count; i++)
		fcntl(p->fds[i], F_SETFD, 0);
}

static char *variable(const struct confine_plan *p, const char *name)
{
	const char *value = getenv(name);

	return value ? arena_format(p->arena, "%s=%s", name, value) : NULL;
}

char **environment_of(const struct confine_plan *p)
{
	const size_t most = p->sets.count + p->keeps.count + 1;
	char **all = arena_alloc(p->arena, most * sizeof(*all));
	size_t count = 0;

	for (size_t i = 0; i < p->keeps.count; i++) {
		all[count] = variable(p, p->keeps.at[i]);
		count += all[count] != NULL;
	}
	for (size_t i = 0; i < p->sets.count; i++)
		all[count++] = arena_text(p->arena, p->sets.at[i], strlen(p->sets.at[i]));
	return all;
}
