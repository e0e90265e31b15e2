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

static uint32_t digits_of(uint64_t value)
{
	static const uint64_t powers[DIGITS_MAX] = {
		0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
		10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000,
		1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
		10000000000000000000u,
	};
	/* log10(2) is a little more than 1233 / 4096. */
	const uint32_t at_least = (uint32_t)(64 - __builtin_clzll(value | 1)) * 1233 >> 12;

	return at_least + (value >= powers[at_least]);
}

/* Its digits, at `at`; where they end. Two at a time: a log has several numbers of each I/O. */
static inline char *put_number(char *at, uint64_t value)
{
	static const char pairs[] =
		"00010203040506070809" "10111213141516171819" "20212223242526272829"
		"30313233343536373839" "40414243444546474849" "50515253545556575859"
		"60616263646566676869" "70717273747576777879" "80818283848586878889"
		"90919293949596979899";
	char *const end = at + digits_of(value);

	for (at = end; value >= 10; value /= 100) {
		at -= 2;
		memcpy(at, pairs + 2 * (value % 100), 2);
	}
	if (value || at == end)
		at[-1] = (char)('0' + value);
	return end;
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
