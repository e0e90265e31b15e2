/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include <inttypes.h>
#include <math.h>

/* A string with everything escaped that JSON wants escaped; bytes past ASCII pass
 * as they are, since job files are UTF-8. */
static void write_string(FILE *out, const char *text)
{
	putc('"', out);
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		if (*p == '"' || *p == '\\')
			fprintf(out, "\\%c", *p);
		else if (*p < 0x20)
			fprintf(out, "\\u%04x", *p);
		else
			putc(*p, out);
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
