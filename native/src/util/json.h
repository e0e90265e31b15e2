/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_JSON_H
#define IOGATE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * JSON written straight to a stream: no document is built. The writer keeps the
 * commas and the indentation; the caller opens and closes what it began. `key` is
 * NULL inside an array. Arrays and everything in them stand on one line.
 */
struct json {
	FILE *out;
	unsigned depth;
	unsigned flat;		/* > 0: inside an array, nothing breaks the line */
	bool first;		/* nothing written yet at this level */
};

void json_init(struct json *j, FILE *out);
void json_object_begin(struct json *j, const char *key);
void json_object_end(struct json *j);
/* The array of objects of fio's `jobs` and `disk_util`: elements on lines of their own. */
void json_list_begin(struct json *j, const char *key);
void json_list_end(struct json *j);
void json_array_begin(struct json *j, const char *key);
void json_array_end(struct json *j);
void json_text(struct json *j, const char *key, const char *text);
void json_uint(struct json *j, const char *key, uint64_t value);
void json_int(struct json *j, const char *key, int64_t value);
/* six decimals; not finite: 0 */
void json_float(struct json *j, const char *key, double value);
void json_bool(struct json *j, const char *key, bool value);

#endif
