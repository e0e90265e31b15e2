/* SPDX-License-Identifier: Apache-2.0 */
#include "run/cgroups.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	LIST_MAX = 1 << 20,		/* bytes of all names */
	RETRIES = 250,			/* to take away a group that is still in use, */
	RETRY_US = 20 * 1000,		/* as its processes end */
};

/* Where groups of block I/O are, and how one joins and weighs them. */
struct hierarchy {
	char root[PATH_MAX];
	const char *join;
	const char *weights[2];		/* whichever this kernel has */
};

static bool find(struct hierarchy *h)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	const struct mntent *m;
	bool first = false;

	*h = (struct hierarchy){ .join = "cgroup.procs",
				 .weights = { "io.weight", "io.bfq.weight" } };
	while (mounts && !first && (m = getmntent(mounts))) {
		first = !strcmp(m->mnt_type, "cgroup") && hasmntopt(m, "blkio");
		if (first || (!*h->root && !strcmp(m->mnt_type, "cgroup2")))
			snprintf(h->root, sizeof(h->root), "%s", m->mnt_dir);
	}
	if (mounts)
		endmntent(mounts);
	if (first) {
		h->join = "tasks";
		h->weights[0] = "blkio.weight";
		h->weights[1] = "blkio.bfq.weight";
	}
	return *h->root;
}

/* Names with a zero behind each, the first made first: away with them, the last first. */
static void take_away(const char *names, size_t length)
{
	size_t at = length;

	while (at) {
		const char *name;

		for (at--; at && names[at - 1]; at--)
			;
		name = names + at;
		for (int i = 0; i < RETRIES && rmdir(name) && errno == EBUSY; i++)
			usleep(RETRY_US);
	}
}

/* It holds nothing open but the line, so that nobody waits for it. */
static _Noreturn void keep(int line)
{
	static char names[LIST_MAX];
	const int nothing = open("/dev/null", O_RDWR);
	size_t length = 0;
	ssize_t n;

	setsid();
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	for (int fd = 0; fd <= 2 && nothing >= 0; fd++)
		dup2(nothing, fd);
	dup2(line, 3);
	close_range(4, ~0u, 0);
	while ((n = read(3, names + length, sizeof(names) - length)) > 0)
		length += (size_t)n;
	take_away(names, length);
	_exit(0);
}

static int start_keeper(struct cgroups *c, struct err *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return err_set(err, -errno, "cgroup: no pipe: %s", strerror(errno));
	c->keeper = fork();
	if (!c->keeper) {
		close(ends[1]);
		keep(ends[0]);
	}
	close(ends[0]);
	c->line = ends[1];
	return c->keeper < 0 ? err_set(err, -errno, "cgroup: cannot start a process: %s",
				       strerror(errno)) : 0;
}

/* Told to the keeper before it is made, unless it is there already: then it is not ours. */
static int make_one(struct cgroups *c, const char *path, bool stays, struct err *err)
{
	const size_t length = strlen(path) + 1;
	struct stat st;

	if (!stat(path, &st))
		return 0;
	if (!stays && write(c->line, path, length) != (ssize_t)length)
		return err_set(err, -EIO, "cgroup: '%s' could not be taken away again", path);
	if (mkdir(path, 0755) && errno != EEXIST)
		return err_set(err, -errno, "cgroup: cannot make '%s': %s", path, strerror(errno));
	return 0;
}

static int make(struct cgroups *c, const struct hierarchy *h, const struct job *job, char *path,
		struct err *err)
{
	size_t used = (size_t)snprintf(path, PATH_MAX, "%s", h->root);
	const char *at = job->place.cgroup;
	int ret = 0;

	while (!ret && *(at += strspn(at, "/"))) {
		const size_t length = strcspn(at, "/");

		if (used + length + 2 > PATH_MAX)
			return err_set(err, -ENAMETOOLONG, "%s: cgroup: too long", job->name);
		used += (size_t)sprintf(path + used, "/%.*s", (int)length, at);
		at += length;
		ret = make_one(c, path, job->place.cgroup_stays, err);
	}
	return ret;
}

static int weigh(const struct hierarchy *h, const struct job *job, const char *path,
		 struct err *err)
{
	char file[PATH_MAX + 32];
	int fd = -1;
	bool good;

	if (!job->place.cgroup_weight)
		return 0;
	for (int i = 0; i < 2 && fd < 0; i++) {
		snprintf(file, sizeof(file), "%s/%s", path, h->weights[i]);
		fd = open(file, O_WRONLY | O_CLOEXEC);
	}
	if (fd < 0)
		return err_set(err, -errno, "%s: cgroup_weight: '%s' has neither %s nor %s: drop "
			       "cgroup_weight", job->name, path, h->weights[0], h->weights[1]);
	good = dprintf(fd, "%u", job->place.cgroup_weight) > 0;
	close(fd);
	return good ? 0 : err_set(err, -EINVAL, "%s: cgroup_weight: '%s' does not take %u",
				  job->name, file, job->place.cgroup_weight);
}

static int add(struct cgroups *c, const struct hierarchy *h, uint32_t member, const struct job *job,
	       struct err *err)
{
	char path[PATH_MAX];
	int ret = make(c, h, job, path, err);

	ret = ret ? ret : weigh(h, job, path, err);
	if (!ret && asprintf(&c->joins[member], "%s/%s", path, h->join) < 0)
		ret = err_set(err, -ENOMEM, "%s: no memory", job->name);
	return ret;
}

int cgroups_init(struct cgroups *c, struct workers *workers, struct err *err)
{
	struct hierarchy h;
	bool any = false;
	int ret = 0;

	*c = (struct cgroups){ .count = workers->count, .line = -1 };
	for (uint32_t i = 0; i < workers->count; i++)
		any = any || workers->members[i].worker.job->place.cgroup;
	if (!any)
		return 0;
	if (!find(&h))
		return err_set(err, -ENOENT, "cgroup: no groups of block I/O are mounted: drop "
			       "cgroup");
	c->joins = calloc(workers->count, sizeof(*c->joins));
	ret = c->joins ? start_keeper(c, err) : err_set(err, -ENOMEM, "cgroup: no memory");
	for (uint32_t i = 0; i < workers->count && !ret; i++) {
		struct worker *w = &workers->members[i].worker;

		if (w->job->place.cgroup)
			ret = add(c, &h, i, w->job, err);
		w->cgroup = c->joins[i];
	}
	return ret;
}

void cgroups_release(struct cgroups *c)
{
	if (c->line >= 0)
		close(c->line);
	if (c->keeper > 0)
		waitpid(c->keeper, NULL, 0);
	for (uint32_t i = 0; c->joins && i < c->count; i++)
		free(c->joins[i]);
	free(c->joins);
	*c = (struct cgroups){ .line = -1 };
}
