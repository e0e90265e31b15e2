/* SPDX-License-Identifier: Apache-2.0 */
#include "util/json.h"

#include <inttypes.h>
#include <math.h>

/* Bytes of the character that begins here; 0: this is no UTF-8. Of the second byte also
 * what would be overlong, a surrogate or past the last character is excluded. */
static size_t utf8_bytes(const unsigned char *p)
{
	static const struct {
		unsigned char first, last, second_min, second_max;
		size_t bytes;
	} kinds[] = {
		{ 0x01, 0x7f, 0, 0xff, 1 }, { 0xc2, 0xdf, 0x80, 0xbf, 2 },
		{ 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
		{ 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
		{ 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 },
		{ 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};
	const size_t count = sizeof(kinds) / sizeof(kinds[0]);
	size_t kind = 0, at = 2;

	while (kind < count && (*p < kinds[kind].first || *p > kinds[kind].last))
		kind++;
	if (kind == count || p[1] < kinds[kind].second_min || p[1] > kinds[kind].second_max)
		return 0;
	while (at < kinds[kind].bytes && (p[at] & 0xc0) == 0x80)
		at++;
	return at < kinds[kind].bytes ? 0 : kinds[kind].bytes;
}

/* A string with everything escaped that JSON wants escaped. Names may be any bytes, but a
 * document is UTF-8: what is not becomes U+FFFD. */
static void write_string(FILE *out, const char *text)
{
	putc('"', out);
	for (const unsigned char *p = (const unsigned char *)text; *p;) {
		const size_t bytes = utf8_bytes(p);

		if (*p == '"' || *p == '\\')
			fprintf(out, "\\%c", *p);
		else if (*p < 0x20)
			fprintf(out, "\\u%04x", *p);
		else if (bytes)
			fwrite(p, 1, bytes, out);
		else
			fputs("\xef\xbf\xbd", out);
		p += bytes ? bytes : 1;
	}
	putc('"', out);
}

static void indent(struct json *j)
{
	putc('\n', j->out);
	for (unsigned i = 0; i < j->depth; i++)
		fputs("  ", j->out);
}

/* What comes before a value: the comma, the new line and the key. */
static void begin_value(struct json *j, const char *key)
{
	if (!j->first)
		putc(',', j->out);
	if (!j->flat && j->depth)
		indent(j);
	j->first = false;
	if (key) {
		write_string(j->out, key);
		fputs(j->flat ? ":" : " : ", j->out);
	}
}

static void open_level(struct json *j, const char *key, char bracket)
{
	begin_value(j, key);
	putc(bracket, j->out);
	j->depth++;
	j->first = true;
}

static void close_level(struct json *j, char bracket)
{
	j->depth--;
	if (!j->first && !j->flat)
		indent(j);
	putc(bracket, j->out);
	j->first = false;
	if (!j->depth)
		putc('\n', j->out);
}

void json_init(struct json *j, FILE *out)
{
	*j = (struct json){ .out = out, .first = true };
}

void json_object_begin(struct json *j, const char *key)
{
	open_level(j, key, '{');
}

void json_object_end(struct json *j)
{
	close_level(j, '}');
}

void json_list_begin(struct json *j, const char *key)
{
	open_level(j, key, '[');
}

void json_list_end(struct json *j)
{
	close_level(j, ']');
}

void json_array_begin(struct json *j, const char *key)
{
	open_level(j, key, '[');
	j->flat++;
}

void json_array_end(struct json *j)
{
	close_level(j, ']');
	j->flat--;
}

void json_text(struct json *j, const char *key, const char *text)
{
	begin_value(j, key);
	write_string(j->out, text);
}

void json_uint(struct json *j, const char *key, uint64_t value)
{
	begin_value(j, key);
	fprintf(j->out, "%" PRIu64, value);
}

void json_int(struct json *j, const char *key, int64_t value)
{
	begin_value(j, key);
	fprintf(j->out, "%" PRId64, value);
}

void json_float(struct json *j, const char *key, double value)
{
	begin_value(j, key);
	fprintf(j->out, "%f", isfinite(value) ? value : 0.0);
}

void json_bool(struct json *j, const char *key, bool value)
{
	begin_value(j, key);
	fputs(value ? "true" : "false", j->out);
}
