/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/jobfile.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobfile/sections.h"

enum { INCLUDE_DEPTH_MAX = 8, INCLUDES_MAX = 1000 };
enum { LINE_MAX_BYTES = 65536, TEXT_MAX_BYTES = 64 << 20 };

/* A line without its comment and the blanks around it; column counts from 1. */
struct line {
	const char *text;
	size_t length;
	struct place place;
};

int place_error(struct err *err, const struct place *place,
		uint32_t column, const char *format, ...)
{
	char text[sizeof(err->text)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (!place->file)
		return err_add(err, -EINVAL, "command line: %s", text);
	return err_add(err, -EINVAL, "%s:%u:%u: %s", place->file, place->line, column, text);
}

struct job_builder *job_builder_new(const struct job_source *source)
{
	struct arena *memory = arena_new();
	struct job_builder *b = arena_alloc(memory, sizeof(*b));

	b->memory = memory;
	b->last = &b->first;
	if (source)
		b->source = *source;
	return b;
}

void job_builder_free(struct job_builder *b)
{
	if (b)
		arena_free(b->memory);
}

void job_builder_literal(struct job_builder *b)
{
	b->literal = true;
	b->source.include = NULL;
	b->source.environment = NULL;
}

void job_builder_only_read(struct job_builder *b)
{
	b->only_read = true;
}

void job_builder_choose(struct job_builder *b, const char *name)
{
	struct chosen *chosen = arena_alloc(b->memory, sizeof(*chosen));

	chosen->name = arena_text(b->memory, name, strlen(name));
	chosen->next = b->chosen;
	b->chosen = chosen;
}

static void section_new(struct job_builder *b, const char *name, size_t length,
			const struct place *place)
{
	struct section *section = arena_alloc(b->memory, sizeof(*section));

	section->name = arena_text(b->memory, name, length);
	section->global = !strncmp(section->name, "global", strlen("global"));
	section->place = *place;
	section->file = b->file;
	section->last = &section->first;
	*b->last = section;
	b->last = &section->next;
	b->current = section;
}

/* The variables of filename_format are not of the job file: they stay. */
static bool stays(const struct job_builder *b, const char *key, const char *value)
{
	return b->literal && !strcmp(key, "filename_format") && !strstr(value, "${");
}

static int assign(struct job_builder *b, const char *key, const char *value,
		  const struct place *place, struct err *err)
{
	struct assignment *a = arena_alloc(b->memory, sizeof(*a));
	struct err why = { 0 };

	a->key = key;
	a->place = *place;
	if (value && stays(b, key, value))
		a->value = value;
	else if (value && variables_expand(b, value, &a->value, &why))
		return place_error(err, place, place->value_column, "%s: %s", key,
				   why.text);
	*b->current->last = a;
	b->current->last = &a->next;
	return 0;
}

int job_builder_section(struct job_builder *b, const char *name, struct err *err)
{
	if (!*name)
		return err_set(err, -EINVAL, "command line: the job's name is missing");
	section_new(b, name, strlen(name), &(struct place){ 0 });
	return 0;
}

int job_builder_option(struct job_builder *b, const char *key, const char *value,
		       struct err *err)
{
	const char *copy = arena_text(b->memory, key, strlen(key));

	if (!b->current)
		section_new(b, "global", strlen("global"), &(struct place){ 0 });
	return assign(b, copy, value ? arena_text(b->memory, value, strlen(value)) : NULL,
		      &(struct place){ 0 }, err);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Cut the comment and blanks off; the column of what is left goes into the place. */
static void line_trim(struct line *line)
{
	size_t start = 0, end = 0;

	while (end < line->length && line->text[end] != ';' && line->text[end] != '#')
		end++;
	while (start < end && is_blank(line->text[start]))
		start++;
	while (end > start && is_blank(line->text[end - 1]))
		end--;
	line->text += start;
	line->length = end - start;
	line->place.key_column += (uint32_t)start;
	line->place.value_column = line->place.key_column;
}

static int read_section(struct job_builder *b, const struct line *line, struct err *err)
{
	const struct place *place = &line->place;
	const char *name = line->text + 1, *end = line->text + line->length - 1;

	if (line->length < 2 || *end != ']')
		return place_error(err, place, place->key_column,
				   "']' is missing after the section's name");
	while (name < end && is_blank(*name))
		name++;
	while (end > name && is_blank(end[-1]))
		end--;
	if (name == end)
		return place_error(err, place, place->key_column,
				   "the section's name is missing");
	section_new(b, name, (size_t)(end - name), place);
	return 0;
}

static int read_include(struct job_builder *b, const struct line *line, struct err *err)
{
	const struct place *place = &line->place;
	const char *path = arena_text(b->memory, line->text, line->length) + strlen("include");
	struct err why = { 0 };
	size_t length = 0;
	char *text;
	int code;

	while (is_blank(*path))
		path++;
	if (!b->source.include)
		return place_error(err, place, place->key_column,
				   "include is not possible here");
	if (b->include_depth >= INCLUDE_DEPTH_MAX)
		return place_error(err, place, place->key_column,
				   "include goes deeper than %d files: does a file include "
				   "itself?", INCLUDE_DEPTH_MAX);
	if (b->includes_count++ == INCLUDES_MAX)
		return place_error(err, place, place->key_column,
				   "more than %d includes: do files include each other?",
				   INCLUDES_MAX);
	text = b->source.include(b->source.context, path, place->file, &length, &why);
	if (!text)
		return place_error(err, place, place->key_column, "%s", why.text);
	b->include_depth++;
	code = job_builder_file(b, path, text, length, err);
	b->include_depth--;
	free(text);
	return code;
}

static int read_assignment(struct job_builder *b, const struct line *line, struct err *err)
{
	struct place place = line->place;
	const char *equals = memchr(line->text, '=', line->length);
	size_t key_length = equals ? (size_t)(equals - line->text) : line->length;
	size_t at = key_length + 1;
	const char *value = NULL;

	while (key_length && is_blank(line->text[key_length - 1]))
		key_length--;
	if (!key_length)
		return place_error(err, &place, place.key_column,
				   "the option's name is missing before '='");
	if (!b->current)
		/* What stands there is not repeated: this may be any file. */
		return place_error(err, &place, place.key_column,
				   "an option stands before the first [section]: is this a "
				   "job file?");
	if (equals) {
		while (at < line->length && is_blank(line->text[at]))
			at++;
		value = arena_text(b->memory, line->text + at, line->length - at);
		place.value_column += (uint32_t)at;
	}
	return assign(b, arena_text(b->memory, line->text, key_length), value, &place, err);
}

static int read_line(struct job_builder *b, struct line *line, struct err *err)
{
	static const char include[] = "include";
	const size_t word = sizeof(include) - 1;

	if (memchr(line->text, '\0', line->length))
		return place_error(err, &line->place, 1,
				   "a NUL byte: this is not a text file");
	if (line->length > LINE_MAX_BYTES)
		return place_error(err, &line->place, 1,
				   "a line of more than %d bytes", LINE_MAX_BYTES);
	line_trim(line);
	if (!line->length)
		return 0;
	if (line->text[0] == '[')
		return read_section(b, line, err);
	if (line->length > word && !memcmp(line->text, include, word)
	    && is_blank(line->text[word]))
		return read_include(b, line, err);
	return read_assignment(b, line, err);
}

int job_builder_file(struct job_builder *b, const char *name, const char *text,
		     size_t length, struct err *err)
{
	const char *file = arena_text(b->memory, name, strlen(name));
	const char *at = text, *end = text + length;
	uint32_t number = 0;

	b->text_bytes += length;
	if (b->text_bytes > TEXT_MAX_BYTES)
		return err_set(err, -EFBIG, "%s: the job files have more than %d MiB, with "
			       "what they include", name, TEXT_MAX_BYTES >> 20);
	if (!b->include_depth) {
		b->current = NULL;
		b->file = ++b->files_count;
	}
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		struct line line = { .text = at,
				     .length = (size_t)((newline ? newline : end) - at),
				     .place = { .file = file, .line = ++number,
						.key_column = 1 } };
		int code = read_line(b, &line, err);

		if (code)
			return code;
		at = newline ? newline + 1 : end;
	}
	return 0;
}
