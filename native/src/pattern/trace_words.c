/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/trace_words.h"

#include <ctype.h>
#include <string.h>

bool trace_words_split(struct trace_words *w, const char *line, size_t length)
{
	size_t at = 0;

	w->count = 0;
	while (at < length) {
		const size_t start = at;

		while (at < length && !isspace((unsigned char)line[at]))
			at++;
		if (at > start) {
			if (w->count == WORDS_MAX)
				return false;
			w->at[w->count++] = (struct word){ line + start, at - start };
		} else {
			at++;
		}
	}
	return true;
}

void trace_words_drop_first(struct trace_words *w)
{
	w->count--;
	memmove(w->at, w->at + 1, w->count * sizeof(w->at[0]));
}

bool word_is(const struct word *w, const char *text)
{
	return strlen(text) == w->length && !memcmp(w->text, text, w->length);
}

int word_number(const struct word *w, uint64_t *value)
{
	uint64_t number = 0;

	for (size_t i = 0; i < w->length; i++) {
		const unsigned digit = (unsigned)w->text[i] - '0';

		if (digit > 9 || __builtin_mul_overflow(number, 10u, &number) ||
		    __builtin_add_overflow(number, (uint64_t)digit, &number))
			return -1;
	}
	*value = number;
	return w->length ? 0 : -1;
}
