/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/placement.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/ioprio.h>
#include <signal.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>


int placement_check(const struct job *job, struct err *err)
{
	int ret = cpus_check(&job->place.cpus, "cpus_allowed", err);

	ret = ret ? ret : cpus_check(&job->place.reserved, "gtod_cpu", err);
	ret = ret ? ret : cpus_check(&job->verify.async_cpus, "verify_async_cpus", err);
	ret = ret ? ret : nodes_check(&job->place.nodes, "numa_cpu_nodes", err);
	return ret ? ret : nodes_check(&job->place.memory.nodes, "numa_mem_policy", err);
}

/* Where this fails, what follows is made as the engine's own user, and the job is told so when
 * it cannot become the other. */
void placement_owner(const struct job *job, bool theirs)
{
	if (job->place.gid.given)
		setfsgid(theirs ? job->place.gid.number : getegid());
	if (job->place.uid.given)
		setfsuid(theirs ? job->place.uid.number : geteuid());
}

/* The CPUs of a clone; of none, any will do. */
static struct cpu_list cpus_of(const struct worker *w)
{
	const struct job *job = w->job;
	struct cpu_list cpus = job->place.cpus;

	if (cpus.any && job->place.policy == CPUS_SPLIT)
		return cpus_nth(&cpus, w->index);
	if (job->place.nodes.numbers.any)
		nodes_cpus(&job->place.nodes, &cpus);
	if (job->place.reserved.any)
		cpus = cpus_without(&cpus, &job->place.reserved);
	return cpus;
}

static int take_cpus(const struct worker *w)
{
	const struct cpu_list cpus = cpus_of(w);

	return cpus_keep_to(&cpus);
}

static int take_memory(const struct worker *w)
{
	return w->job->place.memory.given ? memory_policy_apply(&w->job->place.memory) : 0;
}

static int take_nice(const struct worker *w)
{
	const int32_t more = w->job->place.nice;

	errno = 0;
	return more && nice(more) == -1 && errno ? -errno : 0;
}

static int take_priority(const struct worker *w)
{
	const struct job *job = w->job;
	const uint16_t value = job_priority(job);

	if (!job->place.class)
		return 0;
	return syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, value) ? -errno : 0;
}

static int take_name(const struct worker *w)
{
	return w->job->place.comm && prctl(PR_SET_NAME, w->job->place.comm) ? -errno : 0;
}

static int take_cgroup(const struct worker *w)
{
	const int fd = w->cgroup ? open(w->cgroup, O_WRONLY | O_CLOEXEC) : -1;
	int ret;

	if (!w->cgroup)
		return 0;
	ret = fd >= 0 && write(fd, "0", 1) == 1 ? 0 : -errno;
	if (fd >= 0)
		close(fd);
	return ret;
}

/* The calling thread's alone, which the C library does not offer. */
static int take_group(const struct worker *w)
{
	const struct id_value gid = w->job->place.gid;

	if (!gid.given)
		return 0;
	return syscall(SYS_setresgid, gid.number, gid.number, gid.number) ? -errno : 0;
}

/* Another user has no groups of the one before; and is told again to end with its parent, as
 * the kernel forgets that. */
static int take_user(const struct worker *w)
{
	const uid_t user = w->job->place.uid.number;
	const pid_t parent = getppid();

	if (!w->job->place.uid.given || user == geteuid())
		return 0;
	if (syscall(SYS_setgroups, 0, NULL) || syscall(SYS_setresuid, user, user, user))
		return -errno;
	if (!w->job->process.thread && prctl(PR_SET_PDEATHSIG, SIGKILL))
		return -errno;
	return w->job->process.thread || getppid() == parent ? 0 : -ECANCELED;
}

void placement_take(const struct worker *w)
{
	static const struct {
		const char *option;
		int (*take)(const struct worker *w);
	} steps[] = {
		{ "cpus_allowed", take_cpus }, { "numa_mem_policy", take_memory },
		{ "nice", take_nice }, { "prioclass", take_priority }, { "comm", take_name },
		{ "cgroup", take_cgroup },
		{ "gid", take_group }, { "uid", take_user },
	};

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		const int ret = steps[i].take(w);

		if (ret)
			worker_error(w->shared, -ret, "%s: %s: %s", w->job->name, steps[i].option,
				     strerror(-ret));
	}
}
