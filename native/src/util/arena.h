/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_ARENA_H
#define IOGATE_ARENA_H

#include <stddef.h>

/* Memory that is freed all at once. Running out of it is a bug_at(): there is
 * nothing sensible a parser could do. */
struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *a);				/* NULL is fine */
void *arena_alloc(struct arena *a, size_t size);		/* zeroed, 16-byte aligned */
char *arena_text(struct arena *a, const char *text, size_t length);	/* a copy, NUL-ended */
__attribute__((format(printf, 2, 3)))
char *arena_format(struct arena *a, const char *format, ...);

#endif
