/* SPDX-License-Identifier: Apache-2.0 */
#include "crew.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"

enum { THREAD_STACK_BYTES = 256 * 1024, CONTROL_BYTES = 4096 };

static int map_shared(struct crew *c, struct err *err)
{
	void *memory;

	c->mapped_bytes = CONTROL_BYTES + c->count * sizeof(struct worker_shared);
	memory = mmap(NULL, c->mapped_bytes, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return err_set(err, -errno, "no memory for the statistics of %u jobs: make "
			       "numjobs smaller", c->count);
	c->control = memory;
	c->shared = (struct worker_shared *)((char *)memory + CONTROL_BYTES);
	return 0;
}

static uint64_t planned_bytes(const struct job *job, const struct target *t)
{
	const uint64_t bs = job->bs_bytes[job->rw & RW_READ ? DIR_READ : DIR_WRITE];
	uint64_t bytes = job->io_size.bytes;

	if (job->time_based && job->runtime_ns)
		return 0;
	for (uint32_t i = 0; !job->io_size.bytes && i < t->files_count; i++)
		bytes += t->files[i].extent.size_bytes;
	bytes *= job->loops ? job->loops : 1;
	if (job->number_ios && job->number_ios * bs < bytes)
		bytes = job->number_ios * bs;
	return bytes;
}

static int add_member(struct crew *c, const struct job *job, uint32_t job_index,
		      uint32_t clone, bool readonly, struct err *err)
{
	struct member *m = &c->members[c->count];
	int ret;

	m->clone = clone;
	ret = target_init(&m->target, job, clone, readonly, err);
	m->worker = (struct worker){
		.job = job, .target = &m->target, .group = job->group_id + 1,
		.seed = pattern_seed(job, job_index, clone),
	};
	c->count++;
	if (!ret)
		m->planned_bytes = planned_bytes(job, &m->target);
	return ret;
}

static size_t count_clones(const struct job_list *jobs)
{
	size_t count = 0;

	for (size_t i = 0; i < jobs->count; i++)
		count += jobs->jobs[i].numjobs ? jobs->jobs[i].numjobs : 1;
	return count;
}

static int check_job(const struct job *job, struct err *err)
{
	if (!job->ops)
		return err_set(err, -EINVAL, "%s: no ioengine", job->name);
	if (job->rw & RW_TRIM || !(job->rw & (RW_READ | RW_WRITE)))
		return err_set(err, -EOPNOTSUPP, "%s: rw with trim is not supported yet: use "
			       "reads and writes", job->name);
	return 0;
}

static int add_job(struct crew *c, const struct job *job, uint32_t index, bool readonly,
		   struct err *err)
{
	int ret = check_job(job, err);

	for (uint32_t clone = 0; !ret && clone < (job->numjobs ? job->numjobs : 1); clone++)
		ret = add_member(c, job, index, clone, readonly, err);
	return ret;
}

int crew_init(struct crew *c, const struct job_list *jobs, const struct run_options *options,
	      struct err *err)
{
	const size_t count = count_clones(jobs);
	int ret = 0;

	*c = (struct crew){ .members = calloc(count ? count : 1, sizeof(struct member)) };
	if (!c->members)
		return err_set(err, -ENOMEM, "no memory for %zu jobs", count);
	for (size_t i = 0; !ret && i < jobs->count; i++)
		ret = add_job(c, &jobs->jobs[i], (uint32_t)i, options->readonly, err);
	if (!ret)
		ret = map_shared(c, err);
	for (uint32_t i = 0; !ret && i < c->count; i++) {
		c->members[i].worker.control = c->control;
		c->members[i].worker.shared = &c->shared[i];
	}
	return ret;
}

void crew_release(struct crew *c)
{
	for (uint32_t i = 0; i < c->count; i++)
		target_release(&c->members[i].target);
	free(c->members);
	c->members = NULL;
}

void crew_unmap(struct crew *c)
{
	if (c->control)
		munmap(c->control, c->mapped_bytes);
	c->control = NULL;
}

/* The parent decides when to stop, also for a Ctrl-C that reaches all; and no worker
 * outlives a killed parent. */
_Noreturn static void process_main(const struct worker *w, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	worker_run(w);
	_exit(0);
}

static void *thread_main(void *worker)
{
	worker_run(worker);
	return NULL;
}

static int start_thread(struct member *m)
{
	pthread_attr_t attributes;
	int ret;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, THREAD_STACK_BYTES);
	ret = pthread_create(&m->thread, &attributes, thread_main, &m->worker);
	pthread_attr_destroy(&attributes);
	return ret;
}

static int start_process(struct member *m)
{
	const pid_t parent = getpid(), pid = fork();

	if (!pid)
		process_main(&m->worker, parent);
	m->pid = pid;
	return pid < 0 ? errno : 0;
}

void member_start(struct member *m)
{
	const struct job *job = m->worker.job;
	int ret;

	m->start_ns = clock_monotonic_ns();
	m->start_unix_ms = clock_unix_ms();
	m->pid = getpid();
	ret = job->thread ? start_thread(m) : start_process(m);
	m->started = !ret;
	if (!ret)
		return;
	worker_error(m->worker.shared, ret, "%s: cannot start clone %u: %s: raise the limit of "
		     "processes (ulimit -u) or make numjobs smaller", job->name, m->clone,
		     strerror(ret));
	atomic_store(&m->worker.shared->state, WORKER_DONE);
}

/* It could not close its books: do it from outside with what it had counted. */
static void close_books(struct member *m, int status)
{
	struct worker_shared *w = m->worker.shared;
	struct worker_stats *s = &w->stats;
	const char *name = WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it exited";

	worker_error(w, ECANCELED, "%s: clone %u (pid %d) ended early: %s%s; what it had measured "
		     "is kept", m->worker.job->name, m->clone, m->pid, name,
		     WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS
		     ? " (a mapped file was truncated, or its disk is full)" : "");
	worker_stats_settle(s, m->worker.job->ops->depth_max == 1);
	if (w->begin_ns) {
		s->runtime_ns = clock_monotonic_ns() - w->begin_ns;
		for (int dir = 0; dir < DIR_DATA_COUNT; dir++)
			s->dirs[dir].runtime_ns = s->dirs[dir].ios ? s->runtime_ns : 0;
	}
	atomic_store(&w->state, WORKER_DONE);
}

static bool done(const struct member *m)
{
	return atomic_load_explicit(&m->worker.shared->state, memory_order_acquire)
	       == WORKER_DONE;
}

bool member_poll(struct member *m)
{
	const bool finished = done(m);
	int status = 0;

	if (m->gone)
		return true;
	if (m->started && m->worker.job->thread) {
		if (!finished)
			return false;
		pthread_join(m->thread, NULL);
	} else if (m->started) {
		if (waitpid(m->pid, &status, finished ? 0 : WNOHANG) <= 0)
			return false;
		if (!done(m))
			close_books(m, status);
	}
	m->gone = true;
	m->end_ns = clock_monotonic_ns();
	return true;
}
