/* SPDX-License-Identifier: Apache-2.0 */
#include "engines/host_limits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { BUFFERS_MAX_KIB = 1 << 20 };	/* the kernel's limit for one registered buffer */

/* The number in a file of /proc/sys; -1 where there is none. */
static int64_t read_sysctl(const char *path)
{
	int64_t value = -1;
	FILE *f = fopen(path, "re");

	if (!f)
		return -1;
	if (fscanf(f, "%" SCNd64, &value) != 1)
		value = -1;
	fclose(f);
	return value;
}

/* UINT64_MAX: no limit. */
static uint64_t memlock_kib(void)
{
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_MEMLOCK, &limit);
	return limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : (uint64_t)limit.rlim_cur / 1024;
}

static int uring_for_a_group(const struct engine *e, int code)
{
	const int64_t group = read_sysctl("/proc/sys/kernel/io_uring_group");

	if (group < 0)
		return err_set(e->err, code, "this machine allows io_uring only to root "
			       "(kernel.io_uring_disabled is 1, and kernel.io_uring_group names "
			       "no group): name one of yours with sysctl kernel.io_uring_group=%u, "
			       "allow all with sysctl kernel.io_uring_disabled=0, or use "
			       "ioengine=libaio", (unsigned)getegid());
	return err_set(e->err, code, "this machine allows io_uring only to root and the group "
		       "%" PRId64 " (kernel.io_uring_disabled is 1): join it, allow all with "
		       "sysctl kernel.io_uring_disabled=0, or use ioengine=libaio", group);
}

/* The sysctl says which of two: without it, a filter of system calls is left. */
static int uring_forbidden(const struct engine *e, int code)
{
	const int64_t disabled = read_sysctl("/proc/sys/kernel/io_uring_disabled");

	if (disabled == 2)
		return err_set(e->err, code, "this machine forbids io_uring to all "
			       "(kernel.io_uring_disabled is 2): allow it with sysctl "
			       "kernel.io_uring_disabled=0, or use ioengine=libaio");
	if (disabled == 1)
		return uring_for_a_group(e, code);
	return err_set(e->err, code, "a seccomp filter forbids io_uring, as containers' default "
		       "profiles do: run with one that allows it (docker: --security-opt "
		       "seccomp=unconfined), or use ioengine=libaio");
}

static int uring_missing(const struct engine *e, int code)
{
	struct utsname name = { .release = "?" };

	uname(&name);
	return err_set(e->err, code, "this kernel (%.40s) has no io_uring, which needs Linux 5.1 "
		       "and CONFIG_IO_URING: use ioengine=libaio or psync", name.release);
}

/* Before Linux 5.12 rings count as locked memory: entries, and twice as many results. */
static int uring_memory(const struct engine *e, int code)
{
	const uint64_t ring_kib = (uint64_t)e->depth * (64 + 4 + 2 * 16) / 1024 + 16;

	if (memlock_kib() < ring_kib * job_clones(e->job))
		return err_set(e->err, code, "RLIMIT_MEMLOCK is %" PRIu64 " KiB, and rings of "
			       "%u I/Os need %" PRIu64 ": raise it with ulimit -l %" PRIu64 " (or "
			       "LimitMEMLOCK= of the service)", memlock_kib(), e->depth,
			       ring_kib * job_clones(e->job), ring_kib * job_clones(e->job));
	return err_set(e->err, code, "no memory for a ring of %u I/Os: make iodepth smaller",
		       e->depth);
}

int limits_uring_error(const struct engine *e, int code)
{
	switch (code) {
	case -ENOSYS:
		return uring_missing(e, code);
	case -EPERM:
	case -EACCES:
		return uring_forbidden(e, code);
	case -ENOMEM:
		return uring_memory(e, code);
	default:
		return err_set(e->err, code, "io_uring_setup for %u I/Os: %s", e->depth,
			       strerror(-code));
	}
}

/* Locked memory is counted by user: all clones together. */
int limits_buffers_error(const struct engine *e, int code)
{
	const uint64_t kib = e->depth * e->buffer_bytes / 1024, limit = memlock_kib();

	if (kib > BUFFERS_MAX_KIB)
		return err_set(e->err, code, "fixedbufs: %" PRIu64 " KiB of buffers, and a ring "
			       "takes at most %d: make iodepth or bs smaller", kib,
			       BUFFERS_MAX_KIB);
	if (code == -ENOMEM && limit < UINT64_MAX)
		return err_set(e->err, code, "fixedbufs: RLIMIT_MEMLOCK is %" PRIu64 " KiB, and "
			       "buffers of %u I/Os of %" PRIu64 " KiB need %" PRIu64 ": raise it "
			       "with ulimit -l %" PRIu64 " (or LimitMEMLOCK= of the service), or "
			       "leave out fixedbufs", limit, e->depth, e->buffer_bytes / 1024,
			       kib * job_clones(e->job), kib * job_clones(e->job));
	return err_set(e->err, code, "fixedbufs: cannot register %" PRIu64 " KiB of buffers: %s",
		       kib, strerror(-code));
}

int limits_aio_error(const struct engine *e, int code)
{
	const int64_t max = read_sysctl("/proc/sys/fs/aio-max-nr");
	const int64_t used = read_sysctl("/proc/sys/fs/aio-nr");
	const int64_t needed = (int64_t)e->depth * job_clones(e->job);

	if (code == -ENOSYS)
		return err_set(e->err, code, "this kernel has no asynchronous I/O "
			       "(CONFIG_AIO): use ioengine=io_uring or psync");
	if (code != -EAGAIN)
		return err_set(e->err, code, "io_setup for %u I/Os: %s", e->depth,
			       strerror(-code));
	return err_set(e->err, code, "io_setup for %u I/Os: %" PRId64 " of the %" PRId64 " that "
		       "fs.aio-max-nr allows are taken, and %" PRId64 " are needed: raise it with "
		       "sysctl fs.aio-max-nr=%" PRId64 ", or make iodepth or numjobs smaller",
		       e->depth, used, max, needed, used + needed);
}
