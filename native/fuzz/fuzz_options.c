/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "engines/engines.h"
#include "fuzz.h"
#include "jobfile/options.h"

size_t fuzz_taken;

static void *structure_of(const struct option *o, struct arena *memory, struct job *job)
{
	for (const struct engine_ops *const *ops = engines_all; *ops; ops++) {
		const struct option *own = (*ops)->options;
		void *structure;

		if (options_find(o->name) || option_find(own, o->name) != o)
			continue;
		structure = arena_alloc(memory, (*ops)->options_size);
		option_defaults(own, structure, memory);
		return structure;
	}
	return job;
}

/* A number that was taken is one that the row allows. */
static void check_range(const struct option *o, const void *structure)
{
	const bool number = o->type == &type_number || o->type == &type_size;
	uint64_t value = 0;

	if (!number)
		return;
	memcpy(&value, (const char *)structure + o->offset, o->width);
	if (value < o->min || (o->max && value > o->max))
		abort();
}

static const struct job *defaults(void)
{
	static struct arena *memory;
	static struct job job;

	if (!memory) {
		memory = arena_new();
		options_defaults(&job, memory);
	}
	return &job;
}

/* A line of the input, `name=value`: any value is taken, or refused with a text that begins with
 * the name. */
static void check_line(char *line)
{
	char *equals = strchr(line, '=');
	struct arena *memory = arena_new();
	const struct option *o;
	struct err err = { 0 };
	struct job job = *defaults();
	void *structure;
	int code;

	if (equals)
		*equals = '\0';
	o = options_find_any(line);
	if (o) {
		structure = structure_of(o, memory, &job);
		code = option_parse(o, equals ? equals + 1 : NULL, structure, memory, &err);
		if ((code != 0) != (err.text[0] != '\0') || (code && code != err.code))
			abort();
		if (code && strncmp(err.text, o->name, strlen(o->name)))
			abort();
		if (!code)
			check_range(o, structure);
		fuzz_taken += !code;
	} else if (strlen(line) < 60 && option_suggest(line) &&
		   !options_find_any(option_suggest(line))) {
		abort();
	}
	arena_free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size), *rest = text;

	for (char *line = text ? strsep(&rest, "\n") : NULL; line; line = strsep(&rest, "\n"))
		check_line(line);
	free(text);
	return 0;
}
