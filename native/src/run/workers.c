/* SPDX-License-Identifier: Apache-2.0 */
#include "run/workers.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pattern/trace.h"
#include "stats/clock.h"
#include "worker/file_locks.h"
#include "worker/flow.h"
#include "worker/placement.h"

enum { THREAD_STACK_BYTES = 256 * 1024, CONTROL_BYTES = 4096 };

static int map_shared(struct workers *workers, struct err *err)
{
	void *memory;

	workers->mapped_bytes = CONTROL_BYTES + workers->count * (sizeof(struct worker_shared) +
								  sizeof(struct flow));
	memory = mmap(NULL, workers->mapped_bytes, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return err_set(err, -errno, "no memory for the statistics of %u jobs: make "
			       "numjobs smaller", workers->count);
	workers->control = memory;
	workers->shared = (struct worker_shared *)((char *)memory + CONTROL_BYTES);
	workers->flows = (struct flow *)(workers->shared + workers->count);
	return 0;
}

/* Those of one flow_id have that of the first of them. */
static struct flow *flow_of(const struct workers *workers, uint32_t member)
{
	const struct job *job = workers->members[member].worker.job;

	if (!job->process.flow)
		return NULL;
	for (uint32_t i = 0; i < member; i++) {
		const struct worker *w = &workers->members[i].worker;

		if (w->flow && w->job->process.flow_id == job->process.flow_id)
			return w->flow;
	}
	return &workers->flows[member];
}

static uint64_t planned_bytes(const struct job *job, const struct target *t)
{
	const uint64_t bs = job->block.bytes[job_main_dir(job)];
	uint64_t bytes = 0;

	if ((job->time.based && job->time.runtime_ns) || job->amount.fill)
		return 0;
	for (uint32_t i = 0; i < t->files_count; i++)
		bytes += t->files[i].extent.size_bytes;
	bytes = job->replay.trace ? job->replay.trace->bytes : pattern_loop_bytes(job, bytes);
	bytes *= job->time.loops ? job->time.loops : 1;
	if (job->amount.ios && job->amount.ios * bs < bytes)
		bytes = job->amount.ios * bs;
	if (job_trims_before_writes(job) && !job->replay.trace)
		bytes *= 2;
	return bytes;
}

static int add_member(struct workers *workers, const struct job *job, uint32_t job_index,
		      uint32_t clone, struct target_rules *rules, struct err *err)
{
	struct member *m = &workers->members[workers->count];
	int ret = 0;

	m->clone = clone;
	m->job_number = job_index + 1;
	if (job->replay.files) {
		ret = replay_new(&workers->replays[workers->count], job, clone, err);
		if (ret)
			return ret;
		job = replay_job(workers->replays[workers->count]);
	}
	ret = target_init(&m->target, job, clone, rules, err);
	m->worker = (struct worker){
		.job = job, .target = &m->target, .group = job->wave + 1, .index = workers->count,
		.seed = pattern_seed(job, job_index, clone),
	};
	workers->count++;
	rules->before = &m->target;
	if (!ret)
		m->planned_bytes = planned_bytes(job, &m->target);
	return ret;
}

static size_t count_clones(const struct job_list *jobs)
{
	size_t count = 0;

	for (size_t i = 0; i < jobs->count; i++)
		count += job_clones(&jobs->jobs[i]);
	return count;
}

static int check_job(const struct job *job, struct err *err)
{
	if (!job->ops)
		return err_set(err, -EINVAL, "%s: no ioengine", job->name);
	if (job_next_dir(job, 0) == DIR_DATA_COUNT)
		return err_set(err, -EINVAL, "%s: rw names no direction", job->name);
	return placement_check(job, err);
}

static int add_job(struct workers *workers, const struct job *job, uint32_t index,
		   struct target_rules *rules, struct err *err)
{
	int ret = check_job(job, err);

	for (uint32_t clone = 0; !ret && clone < job_clones(job); clone++)
		ret = add_member(workers, job, index, clone, rules, err);
	return ret;
}

int workers_init(struct workers *workers, const struct job_list *jobs,
		 const struct run_options *options, struct err *err)
{
	struct target_rules rules = { options->readonly, options->expected, NULL };
	const size_t count = count_clones(jobs);
	int ret = 0;

	*workers = (struct workers){ .members = calloc(count ? count : 1, sizeof(struct member)),
			    .replays = calloc(count ? count : 1, sizeof(struct replay *)) };
	if (!workers->members || !workers->replays)
		return err_set(err, -ENOMEM, "no memory for %zu jobs", count);
	for (size_t i = 0; !ret && i < jobs->count; i++)
		ret = add_job(workers, &jobs->jobs[i], (uint32_t)i, &rules, err);
	if (!ret)
		ret = map_shared(workers, err);
	for (uint32_t i = 0; !ret && i < workers->count; i++) {
		workers->members[i].worker.control = workers->control;
		workers->members[i].worker.clock_per_io = options->clock_per_io;
		workers->members[i].worker.shared = &workers->shared[i];
		workers->members[i].worker.flow = flow_of(workers, i);
	}
	return ret;
}

void workers_release(struct workers *workers)
{
	for (uint32_t i = 0; i < workers->count; i++)
		target_release(&workers->members[i].target);
	free(workers->members);
	workers->members = NULL;
}

void workers_unmap(struct workers *workers)
{
	for (uint32_t i = 0; workers->replays && i < workers->count; i++)
		replay_free(workers->replays[i]);
	free(workers->replays);
	workers->replays = NULL;
	if (workers->control)
		munmap(workers->control, workers->mapped_bytes);
	workers->control = NULL;
}

/* The parent decides when to stop, also for a Ctrl-C that reaches all; and no worker
 * outlives a killed parent. In a session of its own, as fio's, it has a share of the CPU of
 * its own, too, where the kernel schedules by session (sched_autogroup): else all that the
 * same shell or CI runner does slows it down. */
static void enter_child(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	setsid();
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
}

static void cannot_start(const struct worker *w, int error)
{
	worker_error(w->shared, error, "%s: cannot start: %s: raise the limit of processes "
		     "(ulimit -u) or make numjobs smaller", w->job->name, strerror(error));
	atomic_store(&w->shared->state, WORKER_DONE);
	atomic_fetch_add(&w->control->events, 1);
	futex_wake_all(&w->control->events);
}

static void *thread_main(void *worker)
{
	worker_run(worker);
	return NULL;
}

/* All threads of members first .. end-1, in a process of their own. */
static void run_threads(struct workers *workers, uint32_t first, uint32_t end)
{
	pthread_t *threads = calloc(end - first, sizeof(*threads));
	pthread_attr_t attributes;
	uint32_t count = 0;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, THREAD_STACK_BYTES);
	for (uint32_t i = first; i < end; i++) {
		struct worker *w = &workers->members[i].worker;
		int ret;

		if (!workers->members[i].due || !w->job->process.thread)
			continue;
		ret = threads ? pthread_create(&threads[count], &attributes, thread_main, w)
			      : ENOMEM;
		if (ret)
			cannot_start(w, ret);
		count += !ret;
	}
	pthread_attr_destroy(&attributes);
	for (uint32_t i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

static void note_start(struct member *m, struct process *process)
{
	m->process = process;
	m->started = process->pid > 0;
	m->start_ns = clock_monotonic_ns();
	m->start_unix_ms = clock_epoch_ms(m->worker.job->process.start_clock);
}

static void start_process(struct member *m)
{
	const pid_t parent = getpid();

	m->own.pid = fork();
	if (!m->own.pid) {
		enter_child(parent);
		worker_run(&m->worker);
		_exit(0);
	}
	note_start(m, &m->own);
	if (!m->started)
		cannot_start(&m->worker, errno);
}

static void start_threads(struct workers *workers, uint32_t first, uint32_t end)
{
	struct process *process = &workers->members[first].own;
	const pid_t parent = getpid();

	process->pid = fork();
	if (!process->pid) {
		enter_child(parent);
		run_threads(workers, first, end);
		_exit(0);
	}
	for (uint32_t i = first; i < end; i++) {
		struct member *m = &workers->members[i];

		if (!m->due || !m->worker.job->process.thread)
			continue;
		note_start(m, process);
		if (!m->started)
			cannot_start(&m->worker, errno);
	}
}

static bool done(const struct member *m)
{
	return atomic_load_explicit(&m->worker.shared->state, memory_order_acquire)
	       == WORKER_DONE;
}

/* All clones of the job that it waits for have ended. */
static bool may_start(const struct workers *workers, const struct member *m)
{
	const uint32_t number = m->worker.job->process.waits_for;
	bool gone = true;

	for (uint32_t i = 0; number && i < workers->count; i++)
		if (workers->members[i].job_number == number)
			gone = gone && workers->members[i].gone;
	return gone;
}

bool member_waits(const struct member *m)
{
	return m->worker.job->process.waits_for && !m->started && !m->gone && !done(m);
}

static bool is_thread(const struct member *m)
{
	return m->worker.job->process.thread;
}

/* Only those that wait for others are left after the first time. */
static uint32_t find_due(struct workers *workers, uint32_t first, uint32_t end)
{
	uint32_t count = 0;

	for (uint32_t i = first; i < end; i++) {
		struct member *m = &workers->members[i];

		m->due = !m->started && !m->gone && !done(m) && may_start(workers, m);
		count += m->due;
	}
	return count;
}

void workers_start(struct workers *workers, uint32_t first, uint32_t end)
{
	uint32_t i = first;

	if (!find_due(workers, first, end))
		return;
	while (i < end && !(workers->members[i].due && is_thread(&workers->members[i])))
		i++;
	if (i < end)
		start_threads(workers, i, end);
	for (i = first; i < end; i++) {
		if (workers->members[i].due && !is_thread(&workers->members[i]))
			start_process(&workers->members[i]);
	}
}

/* It could not close its books: do it from outside with what it had counted. */
static void close_books(struct member *m)
{
	struct worker_shared *w = m->worker.shared;
	struct worker_stats *s = &w->stats;
	const int status = m->process->status;
	const char *name = WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it exited";

	worker_error(w, ECANCELED, "%s: clone %u (pid %d) ended early: %s%s; what it had measured "
		     "is kept", m->worker.job->name, m->clone, m->process->pid, name,
		     WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS
		     ? " (a mapped file was truncated, or its disk is full)" : "");
	worker_stats_settle(s, engine_is_sync(m->worker.job->ops),
			    m->worker.job->depth.iodepth == 1);
	if (w->begin_ns) {
		s->runtime_ns = s->all_runtimes_ns = clock_monotonic_ns() - w->begin_ns;
		for (int dir = 0; dir < DIR_DATA_COUNT; dir++)
			s->dirs[dir].runtime_ns = s->dirs[dir].ios ? s->runtime_ns : 0;
	}
	flow_leave(&m->worker);
	file_locks_drop(&m->worker);
	atomic_store(&w->state, WORKER_DONE);
}

static bool process_ended(struct process *p, int options)
{
	if (!p->gone && waitpid(p->pid, &p->status, options) == p->pid)
		p->gone = true;
	return p->gone;
}

/* It still waits for another job, and the run ends. */
static void call_off(struct member *m)
{
	m->start_ns = clock_monotonic_ns();
	atomic_store(&m->worker.shared->state, WORKER_DONE);
}

bool member_poll(struct member *m)
{
	if (m->gone)
		return true;
	if (!m->started && !done(m) && atomic_load(&m->worker.shared->stop))
		call_off(m);
	if (!done(m)) {
		if (!m->started || !process_ended(m->process, WNOHANG))
			return false;
		if (!done(m))
			close_books(m);
	}
	m->gone = true;
	m->end_ns = clock_monotonic_ns();
	return true;
}

void workers_reap(struct workers *workers, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++) {
		if (workers->members[i].started)
			process_ended(workers->members[i].process, 0);
	}
}
