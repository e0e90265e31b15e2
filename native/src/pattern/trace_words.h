/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_TRACE_WORDS_H
#define IOGATE_TRACE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WORDS_MAX = 5 };

/* A piece of a line, which is not ended by a zero. */
struct word {
	const char *text;
	size_t length;
};

/* What blanks part. */
struct trace_words {
	struct word at[WORDS_MAX];
	unsigned count;
};

/* The words of a line; false: there are too many. */
bool trace_words_split(struct trace_words *w, const char *line, size_t length);
void trace_words_drop_first(struct trace_words *w);

bool word_is(const struct word *w, const char *text);
/* Decimal digits, or -1: nothing else is a number in a log. */
int word_number(const struct word *w, uint64_t *value);

#endif
