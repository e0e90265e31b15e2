/* SPDX-License-Identifier: Apache-2.0 */
#include "confine/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "confine/mounts.h"

/* Bits that came after the headers of the oldest system that this is built on. */
enum {
	FS_EXECUTE = 1 << 0, FS_WRITE_FILE = 1 << 1, FS_READ_FILE = 1 << 2, FS_READ_DIR = 1 << 3,
	FS_REMOVE_DIR = 1 << 4, FS_REMOVE_FILE = 1 << 5, FS_MAKE_DIR = 1 << 7,
	FS_MAKE_REG = 1 << 8, FS_MAKE_SOCK = 1 << 9, FS_MAKE_FIFO = 1 << 10,
	FS_MAKE_SYM = 1 << 12, FS_REFER = 1 << 13, FS_TRUNCATE = 1 << 14, FS_IOCTL_DEV = 1 << 15,
	NET_BIND = 1, NET_CONNECT = 2, NET_TCP = 3, RULE_NET_PORT = 2, SCOPES = 3
};

/* What each version handles; a version that is not here yet is taken as the last one. */
static const struct {
	uint64_t fs, net, scoped;
	size_t size;			/* of the structure that the kernel knows */
} versions[] = {
	[1] = { (1 << 13) - 1, 0, 0, 8 },
	[2] = { (1 << 14) - 1, 0, 0, 8 },
	[3] = { (1 << 15) - 1, 0, 0, 8 },
	[4] = { (1 << 15) - 1, NET_TCP, 0, 16 },
	[5] = { (1 << 16) - 1, NET_TCP, 0, 16 },
	[6] = { (1 << 16) - 1, NET_TCP, SCOPES, 24 },
	[7] = { (1 << 16) - 1, NET_TCP, SCOPES, 24 },
};
enum { VERSION_MAX = 7 };

struct ruleset {		/* struct landlock_ruleset_attr of today */
	uint64_t fs, net, scoped;
};

struct net_port_rule {		/* struct landlock_net_port_attr */
	uint64_t access, port;
};

enum {
	FOR_FILES = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV,
	TO_READ = FS_READ_FILE | FS_READ_DIR,
	TO_RUN = TO_READ | FS_EXECUTE,
	TO_WRITE = TO_READ | FS_WRITE_FILE | FS_TRUNCATE | FS_REMOVE_DIR | FS_REMOVE_FILE |
		   FS_MAKE_DIR | FS_MAKE_REG | FS_REFER,
	TO_LINK = TO_WRITE | FS_MAKE_SYM | FS_MAKE_FIFO | FS_MAKE_SOCK,
};

int landlock_abi(void)
{
	const long abi = syscall(SYS_landlock_create_ruleset, NULL, 0,
				 LANDLOCK_CREATE_RULESET_VERSION);

	return abi < 0 ? 0 : (int)abi;
}

/* Of what may be done, what this kernel knows and this kind of thing has. */
static int allow(int ruleset, uint64_t handled, int fd, uint64_t access)
{
	struct landlock_path_beneath_attr rule = { .parent_fd = fd };
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	rule.allowed_access = access & handled & (S_ISDIR(st.st_mode) ? ~UINT64_C(0) : FOR_FILES);
	if (!rule.allowed_access)
		return 0;
	return syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0)
	       ? -errno : 0;
}

static int allow_path(int ruleset, uint64_t handled, const char *path, uint64_t access)
{
	const int fd = open(path, O_PATH | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return 0;		/* nothing there, nothing to be read */
	ret = allow(ruleset, handled, fd, access);
	close(fd);
	return ret;
}

static int allow_devices(int ruleset, uint64_t handled)
{
	char path[64];
	int ret = 0;

	for (size_t i = 0; !ret && device_names[i]; i++) {
		snprintf(path, sizeof(path), "/dev/%s", device_names[i]);
		ret = allow_path(ruleset, handled, path,
				 FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE);
	}
	return ret;
}

static int allow_places(int ruleset, uint64_t handled, const struct confine_plan *p)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < p->places_count; i++) {
		const struct place *place = &p->places[i];
		const uint64_t ioctls = place->kind == PLACE_BLOCK ? FS_IOCTL_DEV : 0;

		const uint64_t access = place->links ? TO_LINK :
					place->writable ? TO_WRITE : TO_READ;

		ret = allow(ruleset, handled, place->fd, ioctls | access);
	}
	return ret;
}

static int allow_ports(int ruleset, uint64_t access, const struct ports *ports)
{
	for (size_t i = 0; i < ports->count; i++) {
		const struct net_port_rule rule = { access, ports->at[i] };

		if (syscall(SYS_landlock_add_rule, ruleset, RULE_NET_PORT, &rule, 0))
			return -errno;
	}
	return 0;
}

static int add_network(int ruleset, uint64_t handled, const struct confine_plan *p)
{
	const int ret = handled ? allow_ports(ruleset, NET_CONNECT, &p->connects) : 0;

	return ret || !handled ? ret : allow_ports(ruleset, NET_BIND, &p->binds);
}

static int add_rules(int ruleset, uint64_t handled, const struct confine_plan *p,
		     const char *command)
{
	int ret = allow_places(ruleset, handled, p);

	for (size_t i = 0; !ret && i < p->reads.count; i++)
		ret = allow_path(ruleset, handled, p->reads.at[i], TO_RUN);
	ret = ret ? ret : allow_devices(ruleset, handled);
	return ret ? ret : allow_path(ruleset, handled, command, TO_RUN);
}

int landlock_apply(const struct confine_plan *p, const char *command, struct err *err)
{
	const int abi = landlock_abi(), version = abi < VERSION_MAX ? abi : VERSION_MAX;
	const struct ruleset rules = { .fs = versions[version].fs,
				       .net = p->host_network ? 0 : versions[version].net,
				       .scoped = versions[version].scoped };
	long ruleset;
	int ret;

	if (!abi)
		return err_set(err, -ENOSYS, "this kernel has no Landlock");
	ruleset = syscall(SYS_landlock_create_ruleset, &rules, versions[version].size, 0);
	ret = ruleset < 0 ? -errno : add_rules((int)ruleset, rules.fs, p, command);
	ret = ret ? ret : add_network((int)ruleset, rules.net, p);
	if (!ret && syscall(SYS_landlock_restrict_self, (int)ruleset, 0))
		ret = -errno;
	if (ruleset >= 0)
		close((int)ruleset);
	return ret ? err_set(err, ret, "Landlock cannot be set up: %s", strerror(-ret)) : 0;
}
