/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_VERIFY_THREADS_H
#define IOGATE_VERIFY_THREADS_H

#include <stdbool.h>
#include <stddef.h>

#include "util/cpus.h"
#include "verify/verify.h"

/*
 * verify_async: threads that look at blocks while the job goes on. What is given is copied, so
 * that the I/O's buffer is free at once; who gives waits where the threads do not keep up.
 */
struct verify_threads;

struct verify_threads_asked {
	const struct verify *verify;
	uint32_t count;
	const struct cpu_list *cpus;	/* of the threads; all where none is listed */
	size_t block_bytes;		/* at most */
	/* looks at one block, in any thread: 0, or -EILSEQ with *fault */
	int (*look)(const struct verify *v, const struct verify_block *b, const char *path,
		    struct verify_fault *fault);
};

/* A damaged block, and the name of its file. */
struct verify_found {
	struct verify_fault fault;
	const char *path;
};

struct verify_threads *verify_threads_new(const struct verify_threads_asked *asked);
/* False: what was found has to be asked for first. */
bool verify_threads_give(struct verify_threads *t, const struct verify_block *b,
			 const char *path);
/* Until all that was given was looked at. */
void verify_threads_wait(struct verify_threads *t);
/* One that was found, and not told before; false: there is none so far. */
bool verify_threads_found(struct verify_threads *t, struct verify_found *found);
void verify_threads_free(struct verify_threads *t);

#endif
