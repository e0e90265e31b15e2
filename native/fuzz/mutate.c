/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/engines.h"
#include "fuzz.h"
#include "jobfile/options.h"
#include "util/random.h"

/* Job files one line at a time: a line goes, comes twice, or is an option of the table with a
 * value of its type. What libFuzzer changes by itself is rarely a job file any more. */

enum { LINE_BYTES = 256, LINES_MAX = 64, ENGINE_SHARE = 8, TRIES = 16 };

static const char *const numbers[] = { "0", "1", "2", "7", "64", "100", "512", "4k", "1m", "3g",
	"1.5k", "(2*4k)", "0x10", "$pagesize", "4KiB", "4294967295", "4294967296", "16e", "-1" };
static const char *const texts[] = { "4k", "1k-8k", "4k,8k", "1k-4k,8k-16k", "4k/50:8k/50",
	"4k/:8k/", "random", "zipf:1.2", "pareto:0.2", "normal:50", "zoned:50/10:50/90", "0", "1",
	"50%", "3z", "0-1", "a.log", "read,write", "EIO,EAGAIN", "\"abc\"", "0xdeadbeef", "-12",
	"iops:0.3%", "bw_slope:1%", "1:50:99.9", "crc32c", "$jobname.$jobnum", "10s", "100ms", "1m",
	"%o", "2,3", "1:4", "nobody" };

static struct random draws;

static size_t below(size_t count)
{
	return (size_t)random_below(&draws, count);
}

static const struct option *draw_option(void)
{
	const struct option *const *sorted = options_sorted();
	size_t count = 0, engines = 0;

	while (engines_all[engines])
		engines++;
	if (!below(ENGINE_SHARE)) {
		const struct option *own = engines_all[below(engines)]->options;

		while (own && own[count].name)
			count++;
		if (count)
			return &own[below(count)];
	}
	for (count = 0; sorted[count];)
		count++;
	return sorted[below(count)];
}

/* What a value of the option looks like; mostly one that it takes. */
static void draw_value(const struct option *o, char *value, size_t size)
{
	size_t choices = 0;

	while (o->choices && o->choices[choices].name)
		choices++;
	if (choices && below(8))
		snprintf(value, size, "%s", o->choices[below(choices)].name);
	else if (o->type == &type_bool || o->type == &type_flag || o->type == &type_bool_not)
		snprintf(value, size, "%zu", below(2));
	else if (o->standard && !below(3))
		snprintf(value, size, "%s", o->standard);
	else if (o->max && !below(3))
		snprintf(value, size, "%" PRIu64, below(2) ? o->max : o->min);
	else if (!strcmp(o->name, "ioengine"))
		snprintf(value, size, "%s", engines_all[below(4)]->name);
	else if (o->type->width && o->type != &type_size_value && o->type != &type_time)
		snprintf(value, size, "%s", texts[below(sizeof(texts) / sizeof(*texts))]);
	else
		snprintf(value, size, "%s", numbers[below(sizeof(numbers) / sizeof(*numbers))]);
}

static bool is_taken(const struct option *o, const char *value)
{
	static unsigned char structure[1 << 14];
	struct arena *memory = arena_new();
	struct err err = { 0 };
	const int code = option_parse(o, value, structure, memory, &err);

	arena_free(memory);
	return !code;
}

static size_t draw_line(char line[LINE_BYTES])
{
	const struct option *o = draw_option();
	char value[LINE_BYTES / 2];
	int length;

	draw_value(o, value, sizeof(value));
	for (size_t tries = below(TRIES); tries && !is_taken(o, value); tries--)
		draw_value(o, value, sizeof(value));
	if (!below(16))
		length = snprintf(line, LINE_BYTES, "[%s]\nsize=1m\n", below(2) ? "j" : "global");
	else if (o->type->bare && below(2))
		length = snprintf(line, LINE_BYTES, "%s\n", o->name);
	else
		length = snprintf(line, LINE_BYTES, "%s=%s\n",
				  o->alias && below(2) ? o->alias : o->name, value);
	return length < LINE_BYTES ? (size_t)length : 0;
}

/* Where lines begin; the last entry is the end. */
static size_t find_lines(const uint8_t *data, size_t size, size_t starts[LINES_MAX + 1])
{
	size_t count = 0;

	for (size_t i = 0; i < size && count < LINES_MAX; i++)
		if (!i || data[i - 1] == '\n')
			starts[count++] = i;
	starts[count] = size;
	return count;
}

/* Put `line` in place of what is from `from` to `to`. */
static size_t splice(uint8_t *data, size_t size, size_t size_max, size_t from, size_t to,
		     const char *line, size_t length)
{
	if (size - (to - from) + length > size_max)
		return size;
	memmove(data + from + length, data + to, size - to);
	memcpy(data + from, line, length);
	return size - (to - from) + length;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t size_max, unsigned seed)
{
	size_t starts[LINES_MAX + 1];
	const size_t count = find_lines(data, size, starts);
	char line[LINE_BYTES];
	size_t at;

	draws.state = seed;
	at = below(count + 1);
	switch (below(8)) {
	case 0:
	case 1:
		return LLVMFuzzerMutate(data, size, size_max);
	case 2:
		return at < count && count > 1 ? splice(data, size, size_max, starts[at],
							starts[at + 1], "", 0) : size;
	case 3:
		at = at < count ? at : 0;
		return splice(data, size, size_max, starts[at], count ? starts[at + 1] : 0, line,
			      draw_line(line));
	default:
		return splice(data, size, size_max, starts[at], starts[at], line, draw_line(line));
	}
}
