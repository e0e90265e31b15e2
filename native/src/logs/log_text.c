/* SPDX-License-Identifier: Apache-2.0 */
#include "logs/log_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { FLUSH_BYTES = 1 << 18, DIGITS_MAX = 20, PACKED_BYTES_MIN = 1024 };

void log_text_init(struct log_text *t, const char *path)
{
	*t = (struct log_text){ .path = path };
}

void log_text_pack(struct log_text *t, uint64_t bytes)
{
	t->packed_bytes = bytes < PACKED_BYTES_MIN ? PACKED_BYTES_MIN
			  : bytes < FLUSH_BYTES ? bytes : FLUSH_BYTES;
}

static void fail(struct log_text *t, int error)
{
	if (!t->error)
		t->error = error;
}

static void reserve(struct log_text *t, size_t bytes)
{
	const size_t capacity = t->capacity ? 2 * t->capacity : 4096;
	char *larger;

	if (t->used + bytes <= t->capacity || t->error)
		return;
	larger = realloc(t->text, capacity > t->used + bytes ? capacity : t->used + bytes);
	if (!larger) {
		fail(t, ENOMEM);
		return;
	}
	t->text = larger;
	t->capacity = capacity > t->used + bytes ? capacity : t->used + bytes;
}

void log_text_word(struct log_text *t, const char *word)
{
	const size_t length = strlen(word);

	reserve(t, length);
	if (t->error)
		return;
	memcpy(t->text + t->used, word, length);
	t->used += length;
}

/* Its digits, at `at`; where they end. */
static char *put_number(char *at, uint64_t value)
{
	char digits[DIGITS_MAX];
	uint32_t first = DIGITS_MAX;

	do {
		digits[--first] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	while (first < DIGITS_MAX)
		*at++ = digits[first++];
	return at;
}

void log_text_number(struct log_text *t, uint64_t value)
{
	reserve(t, DIGITS_MAX);
	if (!t->error)
		t->used = (size_t)(put_number(t->text + t->used, value) - t->text);
}

static int write_all(int fd, const char *text, size_t length)
{
	while (length) {
		const ssize_t n = write(fd, text, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? errno : EIO;
		text += n;
		length -= (size_t)n;
	}
	return 0;
}

/* What is there, as one zlib stream. */
static void deflate_rows(struct log_text *t)
{
	uLongf length = compressBound(t->used);
	char *packed = malloc(length);

	if (!packed ||
	    compress((Bytef *)packed, &length, (const Bytef *)t->text, t->used) != Z_OK) {
		free(packed);
		fail(t, ENOMEM);
		return;
	}
	free(t->text);
	t->text = packed;
	t->used = length;
	t->capacity = length;
}

/* Opened anew each time: thousands of jobs would need more files than a process may
 * have open. */
static void flush(struct log_text *t)
{
	int fd;

	if (!t->used || t->error)
		return;
	if (t->packed_bytes)
		deflate_rows(t);
	if (t->error)
		return;
	fd = open(t->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0) {
		fail(t, errno);
		return;
	}
	fail(t, write_all(fd, t->text, t->used));
	if (close(fd))
		fail(t, errno);
	t->used = 0;
}

void log_text_line_end(struct log_text *t)
{
	log_text_word(t, "\n");
	if (t->used >= FLUSH_BYTES)
		flush(t);
}

/* Room is made once a row: a log has several rows of each I/O. */
void log_text_row(struct log_text *t, const uint64_t *values, uint32_t count)
{
	char *at;

	reserve(t, count * (DIGITS_MAX + 2));
	if (t->error)
		return;
	at = t->text + t->used;
	for (uint32_t i = 0; i < count; i++) {
		at = put_number(at, values[i]);
		*at++ = ',';
		*at++ = ' ';
	}
	at[-2] = '\n';
	t->used = (size_t)(at - 1 - t->text);
	if (t->used >= FLUSH_BYTES)
		flush(t);
}

void log_text_packed_row(struct log_text *t, const uint8_t *row, size_t length)
{
	reserve(t, length);
	if (t->error)
		return;
	memcpy(t->text + t->used, row, length);
	t->used += length;
	if (t->used >= t->packed_bytes)
		flush(t);
}

int log_text_finish(struct log_text *t)
{
	flush(t);
	free(t->text);
	t->text = NULL;
	t->used = t->capacity = 0;
	return t->error;
}

int log_text_create(const char *path)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644);
	struct stat st;
	int error = 0;

	if (fd < 0)
		return errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		error = EEXIST;
	else if (ftruncate(fd, 0))
		error = errno;
	close(fd);
	return error;
}

int log_text_error(const struct job *job, const char *path, int error, struct err *err)
{
	return err_set(err, -error, "%s: cannot write the log '%s': %s", job->name, path,
		       error == ENOENT ? "its directory does not exist: create it"
		       : error == EEXIST ? "it is there and no regular file: choose another name"
		       : strerror(error));
}
