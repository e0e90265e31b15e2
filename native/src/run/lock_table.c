/* SPDX-License-Identifier: Apache-2.0 */
#include "run/lock_table.h"

#include <errno.h>
#include <sys/mman.h>

#include "util/text_map.h"

/* Numbers the names of a job's files; the next number. */
static uintptr_t number_files(struct target *t, struct text_map *numbers, uintptr_t next,
			      struct arena *memory)
{
	for (uint32_t i = 0; t->job->files.locking && i < t->files_count; i++) {
		void **number = text_map_at(numbers, t->files[i].path, memory);

		if (!*number)
			*number = (void *)++next;
		t->files[i].lock = (uint32_t)((uintptr_t)*number - 1);
	}
	return next;
}

int lock_table_make(struct workers *workers, struct err *err)
{
	struct arena *memory = arena_new();
	struct text_map numbers = { 0 };
	uintptr_t count = 0;
	struct file_lock *locks;

	for (uint32_t i = 0; i < workers->count; i++)
		count = number_files(&workers->members[i].target, &numbers, count, memory);
	arena_free(memory);
	if (!count)
		return 0;
	workers->locks_bytes = count * (sizeof(*locks) + workers->count);
	locks = mmap(NULL, workers->locks_bytes, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (locks == MAP_FAILED)
		return err_set(err, -errno, "no memory for the locks of %zu files", (size_t)count);
	workers->locks = locks;
	for (uint32_t i = 0; i < workers->count; i++) {
		struct worker *w = &workers->members[i].worker;

		w->locks = w->job->files.locking ? locks : NULL;
		w->reads = (_Atomic uint8_t *)(locks + count) + i * count;
	}
	return 0;
}

void lock_table_release(struct workers *workers)
{
	if (workers->locks)
		munmap(workers->locks, workers->locks_bytes);
	workers->locks = NULL;
}
