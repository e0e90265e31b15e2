/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_OPTION_H
#define IOGATE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"
#include "util/err.h"

/*
 * Every job option is one row: its parser, default, --cmdhelp and line in
 * docs/options.md come from the row. An engine's own options are rows of its own
 * table, with offsets into a struct of engine_ops.options_size bytes.
 */
struct option_choice {
	const char *name;	/* NULL ends the list */
	uint32_t value;
	const char *help;
};

struct option {
	const char *name, *alias;	/* a NULL name ends a table */
	const struct option_type *type;
	uint32_t offset, width;		/* of the field */
	const char *standard;		/* default, as a user would write it; NULL: unset */
	uint64_t min, max;		/* of numbers and sizes; max 0: what the field holds */
	uint64_t unit_ns;
	const char *counts;		/* "ms": of a number that is a time; NULL: it is none */
	const struct option_choice *choices;
	const char *help;		/* one sentence, first line of --cmdhelp */
	bool whole;			/* no beginning of its name stands for it */
	bool off_anywhere;		/* its default may be given to engines that lack it */
	bool keeps_alias;		/* results have the name that was written */
};

/* Options that belong together. */
struct option_category {
	const char *title;		/* of its table in docs/options.md */
	const struct option *rows;	/* sorted by name */
};

/* offset and width of a field of a struct, for a row. */
#define OPTION_FIELD(structure, field) \
	.offset = offsetof(structure, field), .width = sizeof(((structure *)0)->field)

/* What a type's parser works on. */
struct option_destination {
	const struct option *option;
	unsigned char *field;
	struct arena *memory;		/* for what the field points to */
	uint32_t kb_base;		/* 1024, or 1000 where kb_base says so */
	struct err *err;
};

/* How text becomes a field. A type is one of these and its parser; rows point to it. */
struct option_type {
	const char *words;		/* what a value looks like, for help */
	uint32_t width;			/* bytes of the field; 0: uint32_t or uint64_t */
	/* 0, or a negative errno value with the reason in *to->err */
	int (*parse)(const struct option_destination *to, const char *text);
	const char *bare;		/* what a key without a value means; NULL: it needs one */
	bool only_after_equals;		/* the next command-line word is never its value */
};

/* option_types.c */
extern const struct option_type type_text;		/* const char * */
extern const struct option_type type_number;		/* k, m, ... allowed */
extern const struct option_type type_size;		/* bytes */
extern const struct option_type type_size_value;	/* struct size_value: bytes, % or z */
extern const struct option_type type_time;	/* uint64_t ns; unit_ns: of a bare number */
extern const struct option_type type_percent;		/* uint32_t, 0 .. 100 */
extern const struct option_type type_percent_rest;	/* another row's field: 100 - value */
extern const struct option_type type_bool;		/* bool, needs a value */
extern const struct option_type type_bool_not;		/* another row's field: !value */
extern const struct option_type type_flag;		/* bool, a bare key means 1 */
extern const struct option_type type_choice;		/* uint32_t or an enum, of choices */
extern const struct option_type type_log_name;		/* const char *, a bare key means "" */
/* option_lists.c */
extern const struct option_type type_sizes;	/* uint64_t[DIR_DATA_COUNT]: "r", "r,w", "r,w,t" */
extern const struct option_type type_microseconds;	/* uint64_t[DIR_DATA_COUNT] ns: the same */
extern const struct option_type type_size_range;	/* struct size_range: "a" or "a-b" */
extern const struct option_type type_time_range;	/* struct time_range: "a" or "a-b" */
extern const struct option_type type_size_ranges;	/* struct size_range[DIR_DATA_COUNT] */
extern const struct option_type type_percentiles;	/* struct percentile_list */
extern const struct option_type type_placed_pattern;	/* the same, with %o */
extern const struct option_type type_pattern;	/* struct byte_pattern: byte_pattern.c */
extern const struct option_type type_splits;	/* struct block_split[DIR_DATA_COUNT] */
extern const struct option_type type_distribution;	/* struct distribution */
extern const struct option_type type_service;	/* struct file_service */
extern const struct option_type type_sync_range;	/* struct sync_range */
extern const struct option_type type_io_kinds;	/* uint32_t, a bit each of enum io_dir */
extern const struct option_type type_cpus;		/* struct cpu_list */

/* For parsers: whether a value is one that the row allows, and into the field, of 4 or 8
 * bytes, with it. */
int option_check_range(const struct option_destination *to, uint64_t value);
void option_store(const struct option_destination *to, uint64_t value);

/* By name or alias; NULL when there is none, or no table. */
const struct option *option_find(const struct option *table, const char *key);
/* Set the option's field in *structure from text; value NULL is a bare key.
 * 0 or -EINVAL, the message starting with the option's name. */
int option_parse(const struct option *o, const char *value, void *structure,
		 struct arena *memory, struct err *err);
/* The same, of a job whose kb_base is another. */
int option_parse_based(const struct option *o, const char *value, uint32_t kb_base,
		       void *structure, struct arena *memory, struct err *err);
/* Set every field of a table to its default. */
void option_defaults(const struct option *table, void *structure, struct arena *memory);

#endif
