/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job/job.h"
#include "job/option.h"
#include "util/input.h"

/* Words of a pattern, one behind the other, or with spaces between them: numbers, 0xhex, "text"
 * and 'file', which stands for what the file begins with; and %o, the offset of the block. */

enum { PATTERN_MAX = 512, OFFSET_BYTES = 8 };

struct words {
	const char *at;
	unsigned char *bytes;
	uint32_t length;
	uint16_t *places;		/* of %o; NULL: there are none */
	uint32_t places_count;
	struct arena *memory;
	const char *why;		/* of a file that cannot be read */
};

static bool add(struct words *w, unsigned char byte)
{
	if (w->length == PATTERN_MAX)
		return false;
	w->bytes[w->length++] = byte;
	return true;
}

static unsigned char hex_digit(char c)
{
	return (unsigned char)(isdigit((unsigned char)c) ? c - '0' : (c | 32) - 'a' + 10);
}

/* Byte by byte from the left; of an odd number of digits the first is a byte alone. */
static bool take_hex(struct words *w)
{
	size_t digits = strspn(w->at, "0123456789abcdefABCDEF");

	if (!digits)
		return false;
	if (digits % 2 && !add(w, hex_digit(*w->at++)))
		return false;
	for (digits -= digits % 2; digits; digits -= 2, w->at += 2)
		if (!add(w, (unsigned char)(hex_digit(w->at[0]) << 4 | hex_digit(w->at[1]))))
			return false;
	return true;
}

static bool take_text(struct words *w)
{
	const char *end = strchr(w->at, '"');

	if (!end || end == w->at)
		return false;
	while (w->at < end)
		if (!add(w, (unsigned char)*w->at++))
			return false;
	w->at++;
	return true;
}

/* The lowest byte first, and no more bytes than it takes; four of a negative number. */
static bool take_number(struct words *w)
{
	const bool negative = *w->at == '-';
	char *end;
	long value;

	errno = 0;
	value = strtol(w->at, &end, 10);
	if (end == w->at || !isdigit((unsigned char)w->at[negative]) || errno ||
	    value < INT32_MIN || value > UINT32_MAX)
		return false;
	w->at = end;
	for (uint32_t rest = (uint32_t)value, n = 0; rest || !n; rest >>= 8, n++)
		if (!add(w, (unsigned char)rest))
			return false;
	return true;
}

/* What is left of the pattern's length is read, and no more. */
static bool read_file(struct words *w, const char *path)
{
	uint64_t size;
	const int fd = input_open(path, INT64_MAX, &size);
	const ssize_t count = fd < 0 ? fd : read(fd, w->bytes + w->length, PATTERN_MAX - w->length);

	if (count < 0)
		w->why = input_error(fd < 0 ? -fd : errno);
	else if (!count)
		w->why = w->length < PATTERN_MAX ? "it is empty" : "the pattern is full";
	else
		w->length += (uint32_t)count;
	if (fd >= 0)
		close(fd);
	return count > 0;
}

static bool take_file(struct words *w)
{
	const char *begin = w->at, *end = strchr(begin, '\'');

	if (!end || end == begin)
		return false;
	w->at = end + 1;
	return read_file(w, arena_text(w->memory, begin, (size_t)(end - begin)));
}

static bool take_offset(struct words *w)
{
	w->places[w->places_count++] = (uint16_t)w->length;
	for (int i = 0; i < OFFSET_BYTES; i++)
		if (!add(w, 0))
			return false;
	return true;
}

static bool take_word(struct words *w)
{
	if (w->places && w->at[0] == '%' && w->at[1] == 'o') {
		w->at += 2;
		return take_offset(w);
	}
	if (*w->at == '\'') {
		w->at++;
		return take_file(w);
	}
	if (*w->at == '"') {
		w->at++;
		return take_text(w);
	}
	if (w->at[0] == '0' && (w->at[1] | 32) == 'x') {
		w->at += 2;
		return take_hex(w);
	}
	return take_number(w);
}

static int pattern_error(const struct option_destination *to, const struct words *w,
			 const char *text)
{
	if (w->why)
		return err_set(to->err, -EINVAL, "cannot read the file of '%.80s': %s", text,
			       w->why);
	return err_set(to->err, -EINVAL, "'%.80s' is no pattern of at most %d bytes: numbers, "
		       "0xhex, \"text\"%s or 'file', one behind the other", text, PATTERN_MAX,
		       w->places ? ", %o" : "");
}

static int parse_words(const struct option_destination *to, const char *text, uint16_t *places)
{
	struct words w = { .at = text, .bytes = arena_alloc(to->memory, PATTERN_MAX),
			   .places = places, .memory = to->memory };
	struct byte_pattern pattern;

	if (!*text)
		return err_set(to->err, -EINVAL, "a value is missing");
	do {
		if (!take_word(&w))
			return pattern_error(to, &w, text);
		w.at += strspn(w.at, " \t");
	} while (*w.at);
	pattern = (struct byte_pattern){ w.bytes, w.length, w.places, w.places_count };
	memcpy(to->field, &pattern, sizeof(pattern));
	return 0;
}

static int parse_pattern(const struct option_destination *to, const char *text)
{
	return parse_words(to, text, NULL);
}

static int parse_placed_pattern(const struct option_destination *to, const char *text)
{
	const size_t most = PATTERN_MAX / OFFSET_BYTES + 1;

	return parse_words(to, text, arena_alloc(to->memory, most * sizeof(uint16_t)));
}

const struct option_type type_pattern = {
	.words = "numbers, `0xhex`, `\"text\"` or `'file'`, one behind the other",
	.width = sizeof(struct byte_pattern),
	.parse = parse_pattern,
};

const struct option_type type_placed_pattern = {
	.words = "numbers, `0xhex`, `\"text\"`, `'file'` or `%o`, one behind the other",
	.width = sizeof(struct byte_pattern),
	.parse = parse_placed_pattern,
};
