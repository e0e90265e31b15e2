/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/buffers.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MIB_SHIFT = 20, PATH_BYTES = 4096 };

static bool is_huge(const struct job *job)
{
	return job->memory.kind == MEMORY_SHM_HUGE || job->memory.kind == MEMORY_MMAP_HUGE;
}

static int no_memory(const struct job *job, const struct buffers *b, int code, struct err *err)
{
	const uint64_t mib = (b->mapping_bytes >> MIB_SHIFT) + 1;

	if (is_huge(job))
		return err_set(err, code, "%s: no huge pages for %" PRIu64 " MiB of buffers: %s; "
			       "free ones are HugePages_Free in /proc/meminfo, sysctl "
			       "vm.nr_hugepages=N makes them", job->name, mib, strerror(-code));
	return err_set(err, code, "%s: no memory for %" PRIu64 " MiB of buffers: make iodepth or "
		       "bs smaller", job->name, mib);
}

/* The segment is marked for removal at once: nothing is left when the process ends. */
static int attach(struct buffers *b, const struct job *job, struct err *err)
{
	const int flags = IPC_CREAT | 0600 |
			  (job->memory.kind == MEMORY_SHM_HUGE ? SHM_HUGETLB : 0);
	const int id = shmget(IPC_PRIVATE, b->mapping_bytes, flags);
	int code = id < 0 ? -errno : 0;

	if (!code) {
		b->mapping = shmat(id, NULL, 0);
		code = b->mapping == (void *)-1 ? -errno : 0;
		shmctl(id, IPC_RMID, NULL);
	}
	b->attached = !code;
	if (!code)
		return 0;
	b->mapping = NULL;
	return no_memory(job, b, code, err);
}

/* A file that is there: it is read, and what is written to its pages stays in memory. */
static int open_existing(const struct buffers *b, const struct job *job, int fd, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return err_set(err, -EINVAL, "%s: mem: '%s' is no regular file", job->name,
			       job->memory.file);
	if (job->memory.kind != MEMORY_MMAP)
		return err_set(err, -EEXIST, "%s: mem: '%s' is there, and would be overwritten: "
			       "name one that is not there", job->name, job->memory.file);
	if ((uint64_t)st.st_size < b->mapping_bytes)
		return err_set(err, -EINVAL, "%s: mem: '%s' has %" PRIu64 " bytes, and buffers "
			       "need %zu: name a larger one, or one that is not there", job->name,
			       job->memory.file, (uint64_t)st.st_size, b->mapping_bytes);
	return 0;
}

/* One without a name goes with its last mapping, whatever happens; clones have one each. */
static int open_new(const struct buffers *b, const struct job *job, struct err *err)
{
	char folder[PATH_BYTES];
	int fd;

	snprintf(folder, sizeof(folder), "%s", job->memory.file);
	fd = open(dirname(folder), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
	if (fd >= 0 && ftruncate(fd, (off_t)b->mapping_bytes)) {
		err_set(err, -errno, "%s: mem: cannot make a file of %zu bytes beside '%s': %s",
			job->name, b->mapping_bytes, job->memory.file, strerror(errno));
		close(fd);
		return err->code;
	}
	return fd >= 0 ? fd : err_set(err, -errno, "%s: mem: cannot make a file beside '%s': %s",
				      job->name, job->memory.file, strerror(errno));
}

/* -1: nothing that has a name; else a descriptor, or an error below that. */
static int open_file(const struct buffers *b, const struct job *job, struct err *err)
{
	int fd, code;

	if (!job->memory.file)
		return -1;
	fd = open(job->memory.file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return open_new(b, job, err);
	if (fd < 0)
		return err_set(err, -errno, "%s: mem: cannot open '%s': %s", job->name,
			       job->memory.file, strerror(errno));
	code = open_existing(b, job, fd, err);
	if (!code)
		return fd;
	close(fd);
	return code;
}

static int map(struct buffers *b, const struct job *job, bool populate, struct err *err)
{
	const enum memory_kind kind = job->memory.kind;
	const bool shared = kind == MEMORY_MMAP_SHARED ||
			    (kind == MEMORY_MMAP_HUGE && job->memory.file);
	const int fd = open_file(b, job, err);
	int flags = (shared ? MAP_SHARED : MAP_PRIVATE) | (populate ? MAP_POPULATE : 0);

	if (job->memory.file && fd < 0)
		return fd;
	flags |= fd < 0 ? MAP_ANONYMOUS : 0;
	flags |= fd < 0 && kind == MEMORY_MMAP_HUGE ? MAP_HUGETLB : 0;
	b->mapping = mmap(NULL, b->mapping_bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (fd >= 0)
		close(fd);
	if (b->mapping != MAP_FAILED)
		return 0;
	b->mapping = NULL;
	return no_memory(job, b, -errno, err);
}

/* In KiB; a kernel that does not say is not asked again. */
static uint64_t available_kib(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	uint64_t kib = UINT64_MAX, value;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %" SCNu64, &value) == 1)
			kib = value;
	if (f)
		fclose(f);
	return kib;
}

/* What is not to be had would end this process, or another one. */
static int lock(struct buffers *b, const struct job *job, struct err *err)
{
	const uint64_t bytes = job->memory.locked_bytes;
	const uint64_t there = available_kib();

	if (!bytes)
		return 0;
	if (bytes / 1024 >= there)
		return err_set(err, -ENOMEM, "%s: lockmem: %" PRIu64 " MiB of memory are "
			       "available, and %" PRIu64 " are asked for: make it smaller",
			       job->name, there / 1024, bytes >> MIB_SHIFT);
	b->locked = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (b->locked == MAP_FAILED)
		b->locked = NULL;
	else
		b->locked_bytes = bytes;
	if (b->locked && !mlock(b->locked, bytes))
		return 0;
	return err_set(err, -errno, "%s: lockmem: cannot lock %" PRIu64 " bytes: %s; raise "
		       "RLIMIT_MEMLOCK (ulimit -l), or make it smaller", job->name, bytes,
		       strerror(errno));
}

static size_t round_up(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

int buffers_make(struct buffers *b, const struct job *job, size_t bytes, bool populate,
		 struct err *err)
{
	const uint64_t align = job->memory.align;
	const bool attached = job->memory.kind == MEMORY_SHM ||
			      job->memory.kind == MEMORY_SHM_HUGE;
	int code;

	*b = (struct buffers){ .mapping_bytes = bytes + align };
	if (is_huge(job))
		b->mapping_bytes = round_up(b->mapping_bytes, job->memory.huge_page_bytes);
	code = attached ? attach(b, job, err) : map(b, job, populate, err);
	if (code)
		return code;
	b->first = align ? (char *)b->mapping + (round_up((uintptr_t)b->mapping, align) -
						 (uintptr_t)b->mapping) : b->mapping;
	return lock(b, job, err);
}

void buffers_release(struct buffers *b)
{
	if (b->mapping && b->attached)
		shmdt(b->mapping);
	else if (b->mapping)
		munmap(b->mapping, b->mapping_bytes);
	if (b->locked)
		munmap(b->locked, b->locked_bytes);
	*b = (struct buffers){ 0 };
}
