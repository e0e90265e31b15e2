/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/file_locks.h"

#include <errno.h>
#include <stdlib.h>

#include "stats/clock.h"

enum { WAIT_NS = 10 * 1000 * 1000 };	/* the end of the run is noticed after this at most */

int file_locks_init(struct loop *l)
{
	l->slow.held = calloc(l->engine.files_count + 1, sizeof(*l->slow.held));
	return l->slow.held ? 0 : -ENOMEM;
}

static void release_lock(struct file_lock *lock, _Atomic uint8_t *reads, bool writes)
{
	if (writes) {
		atomic_store(&lock->state, 0);
	} else {
		atomic_fetch_sub(&lock->state, 1);
		atomic_store(reads, 0);
	}
	if (atomic_load(&lock->waiters))
		futex_wake_all(&lock->state);
}

static void release(struct loop *l, uint32_t file)
{
	const uint32_t number = l->target->files[file].lock;

	release_lock(&l->worker->locks[number], &l->worker->reads[number],
		     l->slow.held[file].writes);
}

void file_locks_release(struct loop *l)
{
	for (uint32_t i = 0; l->slow.held && i < l->engine.files_count; i++) {
		if (l->slow.held[i].ios)
			release(l, i);
	}
	free(l->slow.held);
	l->slow.held = NULL;
}

static bool try_lock(struct loop *l, uint32_t file, bool writes)
{
	const uint32_t number = l->target->files[file].lock;
	struct file_lock *lock = &l->worker->locks[number];
	uint32_t state = atomic_load(&lock->state);

	if (state >= FILE_LOCK_WRITER || (writes && state))
		return false;
	if (!atomic_compare_exchange_strong(&lock->state, &state, writes
					    ? FILE_LOCK_WRITER | l->worker->index : state + 1))
		return false;
	if (!writes)
		atomic_store(&l->worker->reads[number], 1);
	return true;
}

static bool over(const struct loop *l, uint64_t now)
{
	return atomic_load_explicit(l->stop, memory_order_relaxed) || now >= l->event_ticks;
}

/* Nothing of this job is in flight. False: it ends. */
static bool wait_for(struct loop *l, uint32_t file, bool writes, uint64_t *now)
{
	struct file_lock *lock = &l->worker->locks[l->target->files[file].lock];
	bool got = false;

	atomic_fetch_add(&lock->waiters, 1);
	while (!got && !over(l, *now)) {
		const uint32_t state = atomic_load(&lock->state);

		got = try_lock(l, file, writes);
		if (!got && (state >= FILE_LOCK_WRITER || (writes && state)))
			futex_wait(&lock->state, state, WAIT_NS);
		*now = clock_ticks();
	}
	atomic_fetch_sub(&lock->waiters, 1);
	return got;
}

bool file_locks_take(struct loop *l, const struct pattern_io *io, uint64_t *now)
{
	struct held_lock *held = &l->slow.held[io->file];
	const bool writes = l->job->files.locking == LOCKING_EXCLUSIVE || io->dir != DIR_READ;

	if (held->ios && writes && !held->writes)
		return false;
	if (!held->ios && !try_lock(l, io->file, writes) &&
	    (l->free_count < l->engine.depth || !wait_for(l, io->file, writes, now)))
		return false;
	if (!held->ios)
		held->writes = writes;
	held->ios++;
	return true;
}

void file_locks_done(struct loop *l, const struct io *io)
{
	const bool goes_on = io->result > 0 && (uint32_t)io->result < io->length;

	if (io->dir == DIR_SYNC || goes_on)
		return;
	if (!--l->slow.held[io->file].ios)
		release(l, io->file);
}

void file_locks_drop(const struct worker *w)
{
	for (uint32_t i = 0; w->locks && i < w->target->files_count; i++) {
		const uint32_t number = w->target->files[i].lock;
		struct file_lock *lock = &w->locks[number];
		const bool writes = atomic_load(&lock->state) == (FILE_LOCK_WRITER | w->index);

		if (writes || atomic_load(&w->reads[number]))
			release_lock(lock, &w->reads[number], writes);
	}
}
