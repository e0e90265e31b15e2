/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_LOG_BUFFER_H
#define IOGATE_LOG_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a worker remembers of each I/O, in memory of its own: as it was measured, so that
 * an I/O costs a few stores. It becomes text when the worker is done.
 */
struct log_record {
	uint64_t start_ticks, issue_ticks, done_ticks;
	uint64_t offset;
	uint32_t bytes;
	uint16_t file;
	uint8_t dir;			/* enum io_dir */
	uint8_t data_only;		/* of a DIR_SYNC: fdatasync, or SYNC_RANGE */
	uint16_t priority;		/* as ioprio_set(2) has it; 0: none */
};

struct log_chunk;

struct log_buffer {
	struct log_chunk *first, *last;
	struct log_record *next, *end;	/* room in the last chunk */
	uint64_t lost;			/* there was no memory for so many */
};

void log_buffer_init(struct log_buffer *b);		/* allocates the first chunk */
void log_buffer_clear(struct log_buffer *b);		/* forgets the records */
void log_buffer_release(struct log_buffer *b);
bool log_buffer_grow(struct log_buffer *b);		/* false: no memory; counts it lost */
/* Call do_record for each, oldest first. */
void log_buffer_each(const struct log_buffer *b,
		     void (*do_record)(void *context, const struct log_record *r), void *context);

/* Room for one more record, or NULL without memory. */
static inline struct log_record *log_buffer_next(struct log_buffer *b)
{
	if (__builtin_expect(b->next == b->end, 0) && !log_buffer_grow(b))
		return NULL;
	return b->next++;
}

#endif
