/* SPDX-License-Identifier: Apache-2.0 */
#include "logs/log_inflate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "logs/log_packed.h"
#include "util/input.h"

enum { PIECE_BYTES = 1 << 16, LINE_MAX_BYTES = 160 };

struct log_inflater {
	z_stream stream;
	bool within;			/* a stream has begun and not ended */
	log_line_fn *line;
	void *context;
	size_t rest;			/* of a row that is not whole yet, at the front of rows */
	uint8_t rows[PACKED_ROW_MAX + PIECE_BYTES];
};

struct log_inflater *log_inflater_new(log_line_fn *line, void *context)
{
	struct log_inflater *i = calloc(1, sizeof(*i));

	if (!i)
		return NULL;
	i->line = line;
	i->context = context;
	if (inflateInit(&i->stream) == Z_OK)
		return i;
	free(i);
	return NULL;
}

void log_inflater_free(struct log_inflater *i)
{
	if (!i)
		return;
	inflateEnd(&i->stream);
	free(i);
}

static void tell(const struct log_inflater *i, const struct packed_row *p)
{
	const struct log_row *row = &p->row;
	char line[LINE_MAX_BYTES], offset[24] = "", priority[8];
	int length;

	if (p->has_offset)
		snprintf(offset, sizeof(offset), ", %" PRIu64, row->offset);
	snprintf(priority, sizeof(priority), p->has_priority ? "0x%04x" : "%d",
		 p->has_priority ? row->priority : log_row_is_high(row));
	length = snprintf(line, sizeof(line), "%" PRIu64 ", %" PRId64 ", %u, %" PRIu64 "%s, %s\n",
			  row->time_ms, (int64_t)row->value, row->dir, row->bytes, offset,
			  priority);
	i->line(i->context, line, (size_t)length);
}

/* What is left of the last row waits at the front for more. */
static void tell_rows(struct log_inflater *i, size_t size)
{
	size_t at = 0, taken;
	struct packed_row p;

	for (; (taken = log_packed_take(&p, i->rows + at, size - at)); at += taken)
		tell(i, &p);
	i->rest = size - at;
	memmove(i->rows, i->rows + at, i->rest);
}

static int end_stream(struct log_inflater *i, struct err *err)
{
	if (i->rest)
		return err_set(err, -EBADMSG, "it is damaged: a part of it ends within a row");
	i->within = false;
	return inflateReset(&i->stream) == Z_OK ? 0 : err_set(err, -EBADMSG, "it is damaged");
}

int log_inflater_take(struct log_inflater *i, const uint8_t *bytes, size_t size,
		      struct err *err)
{
	z_stream *z = &i->stream;
	int code = 0;
	bool full = false;

	z->next_in = (z_const Bytef *)(uintptr_t)bytes;
	z->avail_in = (uInt)size;
	while (!code && (z->avail_in || full)) {
		int said;

		i->within = true;
		z->next_out = i->rows + i->rest;
		z->avail_out = PIECE_BYTES;
		said = inflate(z, Z_NO_FLUSH);
		full = said == Z_OK && !z->avail_out;
		tell_rows(i, i->rest + PIECE_BYTES - z->avail_out);
		if (said == Z_STREAM_END)
			code = end_stream(i, err);
		else if (said != Z_OK && said != Z_BUF_ERROR)
			code = err_set(err, said == Z_MEM_ERROR ? -ENOMEM : -EBADMSG, "%s",
				       said == Z_MEM_ERROR ? "no memory" :
				       "it is no compressed log, or damaged");
	}
	return code;
}

int log_inflater_end(const struct log_inflater *i, struct err *err)
{
	return i->within ? err_set(err, -EBADMSG, "it is damaged: its end is missing") : 0;
}

static int read_all(struct log_inflater *i, int fd, struct err *err)
{
	uint8_t piece[PIECE_BYTES];
	ssize_t n;

	while ((n = read(fd, piece, sizeof(piece))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(err, -errno, "%s", strerror(errno));
		if (log_inflater_take(i, piece, (size_t)n, err))
			return err->code;
	}
	return log_inflater_end(i, err);
}

int log_inflate_file(const char *path, log_line_fn *line, void *context, struct err *err)
{
	struct log_inflater *i = log_inflater_new(line, context);
	struct err why = { 0 };
	uint64_t size;
	int fd;

	if (!i)
		return err_set(err, -ENOMEM, "--inflate-log: no memory");
	fd = input_open(path, UINT64_MAX, &size);
	if (fd < 0)
		err_set(&why, fd, "%s", input_error(-fd));
	else
		read_all(i, fd, &why), close(fd);
	log_inflater_free(i);
	return why.code ? err_set(err, why.code, "--inflate-log: cannot read '%s': %s", path,
				  why.text) : 0;
}
