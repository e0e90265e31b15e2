/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/trace_reader.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/arena.h"

enum { FILES_MAX = UINT16_MAX };

int trace_line_error(const struct trace_reader *r, const char *format, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return err_set(r->err, -EINVAL, "%s:%u: %s", r->name, r->line, text);
}

int trace_find_file(struct trace_reader *r, const struct word *name)
{
	const struct trace *t = r->trace;
	char text[PATH_MAX];
	uintptr_t number;

	if (r->last_file < t->files_count && word_is(name, t->files[r->last_file].path))
		return (int)r->last_file;
	if (name->length >= sizeof(text))
		return -1;
	memcpy(text, name->text, name->length);
	text[name->length] = '\0';
	number = (uintptr_t)text_map_get(&r->files, text);
	if (number)
		r->last_file = (uint32_t)(number - 1);
	return (int)number - 1;
}

static bool grow(void **array, size_t element, size_t count, size_t *capacity)
{
	const size_t wanted = *capacity ? 2 * *capacity : 64;
	void *larger;

	if (count < *capacity)
		return true;
	larger = realloc(*array, wanted * element);
	if (!larger)
		return false;
	*array = larger;
	*capacity = wanted;
	return true;
}

static int no_memory(const struct trace_reader *r)
{
	return err_set(r->err, -ENOMEM, "%s: no memory for this log", r->name);
}

/* A log names its files as they were opened: a directory that was meant to be before them would
 * be left without a word. */
static int check_place(const struct trace_reader *r, const struct word *name)
{
	const char *directory = r->job->files.directory;

	if (!directory || !*directory || !strcmp(directory, ".") || name->text[0] == '/' ||
	    r->job->replay.redirect)
		return 0;
	return trace_line_error(r, "'%.*s' is a path as it was recorded, and directory= is not put "
				"before it: leave directory out, or name one file with "
				"replay_redirect", (int)name->length, name->text);
}

int trace_add_file(struct trace_reader *r, const struct word *name)
{
	struct trace *t = r->trace;
	size_t capacity = t->files_capacity;

	const int known = trace_find_file(r, name);

	if (known >= 0)
		return known;
	if (check_place(r, name))
		return r->err->code;
	if (name->length >= PATH_MAX)
		return trace_line_error(r, "the path of a file is too long");
	if (t->files_count == FILES_MAX)
		return trace_line_error(r, "more than %d files", FILES_MAX);
	if (!grow((void **)&t->files, sizeof(*t->files), t->files_count, &capacity))
		return no_memory(r);
	t->files_capacity = (uint32_t)capacity;
	t->files[t->files_count] = (struct trace_file){
		.path = arena_text(t->memory, name->text, name->length),
	};
	*text_map_at(&r->files, t->files[t->files_count].path, t->memory) =
		(void *)(uintptr_t)(t->files_count + 1);
	return (int)t->files_count++;
}

static uint64_t due_ns(const struct trace_reader *r)
{
	const uint32_t percent = r->job->replay.time_scale ? r->job->replay.time_scale : 100;

	if (r->job->replay.no_stall)
		return 0;
	return (uint64_t)((unsigned __int128)r->now_ns * 100 / percent);
}

int trace_add_io(struct trace_reader *r, struct trace_io io)
{
	struct trace *t = r->trace;
	struct trace_file *f = &t->files[io.file];

	if (!grow((void **)&t->ios, sizeof(*t->ios), t->count, &t->capacity))
		return no_memory(r);
	io.due_ns = due_ns(r);
	t->ios[t->count++] = io;
	if (io.dir == DIR_SYNC)
		return 0;
	t->rw |= (uint32_t)RW_READ << io.dir;
	t->bytes += io.length;
	if (io.length > t->length_max[io.dir])
		t->length_max[io.dir] = io.length;
	if (io.offset + io.length > f->end_bytes)
		f->end_bytes = io.offset + io.length;
	return 0;
}

int trace_add_transfer(struct trace_reader *r, struct trace_io io, uint64_t length)
{
	const uint32_t scale = r->job->replay.scale ? r->job->replay.scale : 1;
	const uint32_t align = r->job->replay.align ? r->job->replay.align : 1;

	if (!length || length > TRACE_LENGTH_MAX)
		return trace_line_error(r, "a length of %llu bytes: 1 to %d are possible",
					(unsigned long long)length, TRACE_LENGTH_MAX);
	io.offset = io.offset / scale / align * align;
	io.length = (uint32_t)length;
	if (io.offset > INT64_MAX - length)
		return trace_line_error(r, "offset %llu is too large",
					(unsigned long long)io.offset);
	return trace_add_io(r, io);
}
