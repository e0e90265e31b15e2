/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/trace.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>
#include <unistd.h>

#include "pattern/trace_words.h"
#include "util/arena.h"
#include "util/input.h"

enum {
	LENGTH_MAX = 1 << 30,
	FILES_MAX = UINT16_MAX,
};

static const uint64_t FILE_MAX_BYTES = 1ull << 30;
static const uint64_t TIME_MAX_US = UINT64_MAX / 2000;	/* in ns, two of them do not wrap */

/* What binary traces begin with, in either byte order; the byte left out is a version. */
static const char blktrace_magic[2][4] = { "eat", "tae" };

struct trace_reader {
	struct trace *trace;
	const struct job *job;
	const char *name;
	unsigned version, line;
	/* most lines are about the same file as the one before */
	uint32_t last_file;
	uint64_t now_ns;		/* of the trace, before scaling */
	struct trace_words words;		/* of the line: name, action, offset, length */
	struct err *err;
};

__attribute__((format(printf, 2, 3)))
static int line_error(const struct trace_reader *r, const char *format, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return err_set(r->err, -EINVAL, "%s:%u: %s", r->name, r->line, text);
}

static int find_file(struct trace_reader *r, const struct word *name)
{
	const struct trace *t = r->trace;

	if (r->last_file < t->files_count && word_is(name, t->files[r->last_file].path))
		return (int)r->last_file;
	for (uint32_t i = 0; i < t->files_count; i++) {
		if (word_is(name, t->files[i].path)) {
			r->last_file = i;
			return (int)i;
		}
	}
	return -1;
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

static int add_file(struct trace_reader *r, const struct word *name)
{
	struct trace *t = r->trace;
	size_t capacity = t->files_capacity;

	if (find_file(r, name) >= 0)
		return 0;
	if (t->files_count == FILES_MAX)
		return line_error(r, "more than %d files", FILES_MAX);
	if (!grow((void **)&t->files, sizeof(*t->files), t->files_count, &capacity))
		return no_memory(r);
	t->files_capacity = (uint32_t)capacity;
	t->files[t->files_count++] = (struct trace_file){
		.path = arena_text(t->memory, name->text, name->length),
	};
	return 0;
}

static uint64_t due_ns(const struct trace_reader *r)
{
	const uint32_t percent = r->job->replay.time_scale ? r->job->replay.time_scale : 100;

	if (r->job->replay.no_stall)
		return 0;
	return (uint64_t)((unsigned __int128)r->now_ns * 100 / percent);
}

static int add_io(struct trace_reader *r, struct trace_io io)
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

static int read_transfer(struct trace_reader *r, uint16_t file, uint8_t dir)
{
	const uint32_t scale = r->job->replay.scale ? r->job->replay.scale : 1;
	const uint32_t align = r->job->replay.align ? r->job->replay.align : 1;
	uint64_t offset, length;

	if (r->words.count != 4 || word_number(&r->words.at[2], &offset) ||
	    word_number(&r->words.at[3], &length))
		return line_error(r, "an offset and a length in bytes are missing");
	if (!length || length > LENGTH_MAX)
		return line_error(r, "a length of %llu bytes: 1 to %d are possible",
				  (unsigned long long)length, LENGTH_MAX);
	offset = offset / scale / align * align;
	if (offset > INT64_MAX - length)
		return line_error(r, "offset %llu is too large", (unsigned long long)offset);
	return add_io(r, (struct trace_io){ .offset = offset, .length = (uint32_t)length,
					    .file = file, .dir = dir });
}

/* Version 2 has pauses where version 3 has times. */
static int read_wait(struct trace_reader *r)
{
	uint64_t us;

	if (r->words.count < 3 || word_number(&r->words.at[2], &us))
		return line_error(r, "wait needs a number of microseconds");
	if (us > TIME_MAX_US || r->now_ns + us * 1000 > TIME_MAX_US * 1000)
		return line_error(r, "the waits up to here are too long");
	r->now_ns += us * 1000;
	return 0;
}

/* DIR_COUNT: none that there is. */
static uint8_t action_dir(const struct word *action)
{
	uint8_t dir = 0;

	if (word_is(action, "datasync"))
		return DIR_SYNC;
	while (dir < DIR_COUNT && !word_is(action, io_dir_names[dir]))
		dir++;
	return dir;
}

static int read_action(struct trace_reader *r)
{
	const struct word *action = &r->words.at[1];
	const int file = find_file(r, &r->words.at[0]);
	const uint8_t dir = action_dir(action);

	if (word_is(action, "add"))
		return add_file(r, &r->words.at[0]);
	if (word_is(action, "wait") && r->version == 2)
		return read_wait(r);
	if (file < 0)
		return line_error(r, "the file '%.*s' was not added before",
				  (int)r->words.at[0].length, r->words.at[0].text);
	if (word_is(action, "open") || word_is(action, "close"))
		return 0;
	if (dir == DIR_COUNT)
		return line_error(r, "'%.*s' is not one of add, open, close, read, write, sync, "
				  "datasync, trim%s", (int)action->length, action->text,
				  r->version == 2 ? ", wait" : "");
	if (r->job->replay.skip & (1u << dir))
		return 0;
	if (dir == DIR_SYNC)
		return add_io(r, (struct trace_io){ .file = (uint16_t)file, .dir = DIR_SYNC,
						    .data_only = word_is(action, "datasync") });
	return read_transfer(r, (uint16_t)file, dir);
}

/* Times of several threads may be a little out of order: none goes back. */
static int read_time(struct trace_reader *r)
{
	uint64_t us;

	if (word_number(&r->words.at[0], &us) || us > TIME_MAX_US)
		return line_error(r, "'%.*s' is no time in microseconds",
				  (int)r->words.at[0].length, r->words.at[0].text);
	if (us * 1000 > r->now_ns)
		r->now_ns = us * 1000;
	trace_words_drop_first(&r->words);
	return 0;
}

static int read_line(struct trace_reader *r, const char *line, size_t length)
{
	int ret = 0;

	if (!trace_words_split(&r->words, line, length))
		return line_error(r, "too many words: file names cannot hold blanks");
	if (!r->words.count)
		return 0;
	if (r->version == 3)
		ret = read_time(r);
	if (!ret && r->words.count < 2)
		ret = line_error(r, "a file and an action are missing");
	return ret ? ret : read_action(r);
}

static int read_head(struct trace_reader *r, const char *text, size_t length)
{
	static const char head[] = "fio version ";
	const size_t at = sizeof(head) - 1;

	for (int i = 0; i < 2; i++) {
		if (length >= 4 && !memcmp(text + i, blktrace_magic[i], 3))
			return err_set(r->err, -EINVAL, "%s: this is a binary blktrace, which "
				       "cannot be read yet: record with write_iolog", r->name);
	}
	if (length < at + 7 || memcmp(text, head, at) || memcmp(text + at + 1, " iolog", 6) ||
	    (text[at] != '2' && text[at] != '3'))
		return err_set(r->err, -EINVAL, "%s:1: this is no I/O log: its first line is not "
			       "'fio version 2 iolog' or 'fio version 3 iolog'", r->name);
	r->version = (unsigned)(text[at] - '0');
	return 0;
}

static int read_lines(struct trace_reader *r, const char *text, size_t length)
{
	const char *at = text, *end = text + length;
	int ret = 0;

	while (!ret && at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const size_t n = (size_t)((newline ? newline : end) - at);

		if (++r->line > 1)
			ret = read_line(r, at, n);
		at = newline ? newline + 1 : end;
	}
	return ret;
}

/* What was only opened has no size, and need not be there. */
static void drop_idle_files(struct trace *t)
{
	uint16_t *moved = calloc(t->files_count + 1, sizeof(*moved));
	uint32_t kept = 0;

	if (!moved)
		return;
	for (size_t i = 0; i < t->count; i++)
		if (t->ios[i].dir == DIR_SYNC && !t->files[t->ios[i].file].end_bytes)
			t->files[t->ios[i].file].end_bytes = 1;
	for (uint32_t i = 0; i < t->files_count; i++) {
		moved[i] = (uint16_t)kept;
		if (t->files[i].end_bytes)
			t->files[kept++] = t->files[i];
	}
	for (size_t i = 0; i < t->count; i++)
		t->ios[i].file = moved[t->ios[i].file];
	t->files_count = kept;
	free(moved);
}

/* replay_redirect: all of it in one place. */
static void redirect(struct trace *t, const struct job *job)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < t->files_count; i++)
		end = t->files[i].end_bytes > end ? t->files[i].end_bytes : end;
	for (size_t i = 0; i < t->count; i++)
		t->ios[i].file = 0;
	t->files[0] = (struct trace_file){ .path = job->replay.redirect, .end_bytes = end };
	t->files_count = 1;
}

int trace_parse(struct trace *t, const struct job *job, const char *name, const char *text,
		size_t length, struct err *err)
{
	struct trace_reader r = { .trace = t, .job = job, .name = name, .err = err };
	int ret;

	*t = (struct trace){ .memory = arena_new() };
	ret = read_head(&r, text, length);
	if (!ret)
		ret = read_lines(&r, text, length);
	if (!ret && !t->rw)
		ret = err_set(err, -EINVAL, "%s: there is no I/O to replay", name);
	if (ret)
		return ret;
	drop_idle_files(t);
	if (job->replay.redirect)
		redirect(t, job);
	return 0;
}

int trace_load(struct trace *t, const struct job *job, const char *path, struct err *err)
{
	uint64_t size = 0;
	const int fd = input_open(path, FILE_MAX_BYTES, &size);
	const char *why = fd < 0 ? input_error(-fd) : "it is empty";
	void *text = MAP_FAILED;
	int ret = fd < 0 ? fd : -EINVAL;

	*t = (struct trace){ .count = 0 };
	if (fd >= 0 && size) {
		text = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
		ret = -errno;
		why = strerror(errno);
	}
	if (fd >= 0)
		close(fd);
	if (text == MAP_FAILED)
		return err_set(err, ret, "%s: cannot read the I/O log '%s': %s", job->name, path,
			       why);
	ret = trace_parse(t, job, path, text, (size_t)size, err);
	munmap(text, (size_t)size);
	return ret;
}

void trace_release(struct trace *t)
{
	free(t->ios);
	free(t->files);
	arena_free(t->memory);
	*t = (struct trace){ .count = 0 };
}
