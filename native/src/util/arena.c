/* SPDX-License-Identifier: Apache-2.0 */
#include "util/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"

enum { CHUNK_SIZE = 16384, ALIGNMENT = 16 };

struct chunk {
	struct chunk *next;
	size_t used, size;
	_Alignas(ALIGNMENT) unsigned char data[];
};

struct arena {
	struct chunk *chunks;
};

struct arena *arena_new(void)
{
	struct arena *a = calloc(1, sizeof(*a));

	if (!a)
		BUG("out of memory");
	return a;
}

void arena_free(struct arena *a)
{
	struct chunk *next;

	if (!a)
		return;
	for (struct chunk *c = a->chunks; c; c = next) {
		next = c->next;
		free(c);
	}
	free(a);
}

static struct chunk *chunk_new(struct arena *a, size_t size)
{
	struct chunk *c = calloc(1, sizeof(*c) + size);

	if (!c)
		BUG("out of memory");
	c->size = size;
	c->next = a->chunks;
	a->chunks = c;
	return c;
}

void *arena_alloc(struct arena *a, size_t size)
{
	const size_t rounded = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	struct chunk *c = a->chunks;
	void *memory;

	if (rounded < size)
		BUG("allocation too large");
	if (!c || c->size - c->used < rounded)
		c = chunk_new(a, rounded > CHUNK_SIZE ? rounded : CHUNK_SIZE);
	memory = c->data + c->used;
	c->used += rounded;
	return memory;
}

char *arena_text(struct arena *a, const char *text, size_t length)
{
	char *copy = arena_alloc(a, length + 1);

	memcpy(copy, text, length);
	return copy;
}

char *arena_format(struct arena *a, const char *format, ...)
{
	va_list arguments, again;
	char *text;
	int length;

	va_start(arguments, format);
	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length < 0)
		BUG("bad format");
	text = arena_alloc(a, (size_t)length + 1);
	vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	return text;
}
