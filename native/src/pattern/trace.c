/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>
#include <unistd.h>

#include "pattern/blktrace.h"
#include "pattern/trace_reader.h"
#include "util/arena.h"
#include "util/input.h"

static const uint64_t FILE_MAX_BYTES = 1ull << 30;
static const uint64_t TIME_MAX_US = UINT64_MAX / 2000;	/* in ns, two of them do not wrap */

static int read_transfer(struct trace_reader *r, uint16_t file, uint8_t dir)
{
	struct trace_io io = { .file = file, .dir = dir };
	uint64_t length;

	if (r->words.count != 4 || word_number(&r->words.at[2], &io.offset) ||
	    word_number(&r->words.at[3], &length))
		return trace_line_error(r, "an offset and a length in bytes are missing");
	return trace_add_transfer(r, io, length);
}

/* Version 2 has pauses where version 3 has times. */
static int read_wait(struct trace_reader *r)
{
	uint64_t us;

	if (r->words.count < 3 || word_number(&r->words.at[2], &us))
		return trace_line_error(r, "wait needs a number of microseconds");
	if (us > TIME_MAX_US || r->now_ns + us * 1000 > TIME_MAX_US * 1000)
		return trace_line_error(r, "the waits up to here are too long");
	r->now_ns += us * 1000;
	return 0;
}

/* A length of 0 is all behind the offset, as it is in the call. */
static int read_range(struct trace_reader *r, uint16_t file)
{
	const uint32_t scale = r->job->replay.scale ? r->job->replay.scale : 1;
	struct trace_io io = { .file = file, .dir = DIR_SYNC, .data_only = SYNC_RANGE };
	uint64_t length;

	if (r->words.count != 4 || word_number(&r->words.at[2], &io.offset) ||
	    word_number(&r->words.at[3], &length) || io.offset > INT64_MAX - UINT32_MAX)
		return trace_line_error(r, "an offset and a length in bytes are missing");
	io.offset /= scale;
	io.length = length > UINT32_MAX ? 0 : (uint32_t)length;
	return trace_add_io(r, io);
}

/* DIR_COUNT: none that there is. */
static uint8_t action_dir(const struct word *action)
{
	uint8_t dir = 0;

	if (word_is(action, "datasync") || word_is(action, "sync_file_range"))
		return DIR_SYNC;
	while (dir < DIR_COUNT && !word_is(action, io_dir_names[dir]))
		dir++;
	return dir;
}

static int read_action(struct trace_reader *r)
{
	const struct word *action = &r->words.at[1];
	const int file = trace_find_file(r, &r->words.at[0]);
	const uint8_t dir = action_dir(action);

	if (word_is(action, "add")) {
		const int added = trace_add_file(r, &r->words.at[0]);

		return added < 0 ? added : 0;
	}
	if (word_is(action, "wait") && r->version == 2)
		return read_wait(r);
	if (file < 0)
		return trace_line_error(r, "the file '%.*s' was not added before",
					(int)r->words.at[0].length, r->words.at[0].text);
	if (word_is(action, "open") || word_is(action, "close"))
		return 0;
	if (dir == DIR_COUNT)
		return trace_line_error(r, "'%.*s' is not one of add, open, close, read, write, "
					"sync, datasync, sync_file_range, trim%s",
					(int)action->length, action->text,
					r->version == 2 ? ", wait" : "");
	if (r->job->replay.skip & (1u << dir))
		return 0;
	if (word_is(action, "sync_file_range"))
		return read_range(r, (uint16_t)file);
	if (dir == DIR_SYNC)
		return trace_add_io(r, (struct trace_io){ .file = (uint16_t)file, .dir = DIR_SYNC,
						    .data_only = word_is(action, "datasync") });
	return read_transfer(r, (uint16_t)file, dir);
}

/* Times of several threads may be a little out of order: none goes back. */
static int read_time(struct trace_reader *r)
{
	uint64_t us;

	if (word_number(&r->words.at[0], &us) || us > TIME_MAX_US)
		return trace_line_error(r, "'%.*s' is no time in microseconds",
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
		return trace_line_error(r, "too many words: file names cannot hold blanks");
	if (!r->words.count)
		return 0;
	if (r->version == 3)
		ret = read_time(r);
	if (!ret && r->words.count < 2)
		ret = trace_line_error(r, "a file and an action are missing");
	return ret ? ret : read_action(r);
}

static int read_head(struct trace_reader *r, const char *text, size_t length)
{
	static const char head[] = "fio version ";
	const size_t at = sizeof(head) - 1;

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
	if (blktrace_is_meant(text, length)) {
		ret = blktrace_read(&r, text, length);
	} else {
		ret = read_head(&r, text, length);
		ret = ret ? ret : read_lines(&r, text, length);
	}
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
	if (!ret && blktrace_is_meant(text, (size_t)size) && !job->replay.redirect)
		ret = blktrace_name_devices(t, path, err);
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
