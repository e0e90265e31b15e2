/* SPDX-License-Identifier: Apache-2.0 */
#include "logs/log_buffer.h"

#include <sys/mman.h>

/* Mapped with its pages: a fault inside of the measured part would cost more than the
 * record. Small enough that making the pages is no pause of its own. */
enum {
	CHUNK_BYTES = 256 * 1024,
	CHUNK_RECORDS = (CHUNK_BYTES - 64) / sizeof(struct log_record),
};

struct log_chunk {
	struct log_chunk *next;
	struct log_record records[CHUNK_RECORDS] __attribute__((aligned(64)));
};

bool log_buffer_grow(struct log_buffer *b)
{
	struct log_chunk *chunk = mmap(NULL, sizeof(*chunk), PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (chunk == MAP_FAILED) {
		b->lost++;
		return false;
	}
	if (b->last)
		b->last->next = chunk;
	else
		b->first = chunk;
	b->last = chunk;
	b->next = chunk->records;
	b->end = chunk->records + CHUNK_RECORDS;
	return true;
}

void log_buffer_init(struct log_buffer *b)
{
	*b = (struct log_buffer){ .lost = 0 };
	if (!log_buffer_grow(b))
		b->lost = 0;		/* nothing is lost yet */
}

void log_buffer_release(struct log_buffer *b)
{
	for (struct log_chunk *chunk = b->first, *next; chunk; chunk = next) {
		next = chunk->next;
		munmap(chunk, sizeof(*chunk));
	}
	*b = (struct log_buffer){ .lost = 0 };
}

void log_buffer_clear(struct log_buffer *b)
{
	log_buffer_release(b);
	log_buffer_init(b);
}

void log_buffer_each(const struct log_buffer *b,
		     void (*do_record)(void *context, const struct log_record *r), void *context)
{
	for (const struct log_chunk *chunk = b->first; chunk; chunk = chunk->next) {
		const struct log_record *end = chunk == b->last ? b->next
							: chunk->records + CHUNK_RECORDS;

		for (const struct log_record *r = chunk->records; r < end; r++)
			do_record(context, r);
	}
}
