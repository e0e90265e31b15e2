/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_OPTION_H
#define IOGATE_OPTION_H

#include <stddef.h>
#include <stdint.h>

/*
 * Every job option is one row: its parser, default, --cmdhelp and line in
 * docs/options.md come from the row. An engine's own options are rows of its own
 * table, with offsets into a struct of engine_ops.options_size bytes.
 */
enum option_type {
	OPTION_STRING,		/* const char * */
	OPTION_NUMBER,		/* uint32_t or uint64_t; k, m, ... allowed */
	OPTION_SIZE,		/* uint64_t bytes, or uint32_t */
	OPTION_SIZES,		/* uint64_t[DIR_DATA_COUNT]: "r", "r,w" or "r,w,t" */
	OPTION_SIZE_VALUE,	/* struct size_value: bytes, % or z */
	OPTION_TIME,		/* uint64_t ns; unit_ns is what a bare number counts in */
	OPTION_PERCENT,		/* uint32_t, 0 .. 100 */
	OPTION_PERCENT_REST,	/* the same field as another row, holding 100 - value */
	OPTION_BOOL,		/* bool, needs a value */
	OPTION_BOOL_NOT,	/* the same field as another row, holding !value */
	OPTION_FLAG,		/* bool, a bare key means 1 */
	OPTION_ENUM,		/* uint32_t or an enum, one of choices */
	OPTION_ENGINE,		/* const struct engine_ops * */
	OPTION_LOG_NAME,	/* const char *, a bare key means "" */
	OPTION_PERCENTILES,	/* struct percentile_list */
	OPTION_SIZE_RANGE,	/* struct size_range: "a" or "a-b" */
	OPTION_SPLITS,		/* struct block_split[DIR_DATA_COUNT] (distribution.h) */
	OPTION_DISTRIBUTION,	/* struct distribution */
	OPTION_CPUS,		/* struct cpu_list */
	OPTION_TYPES,
};

enum option_category {
	CATEGORY_JOB, CATEGORY_TIME, CATEGORY_TARGET, CATEGORY_IO, CATEGORY_BLOCK,
	CATEGORY_SIZE, CATEGORY_ENGINE, CATEGORY_DEPTH, CATEGORY_RATE,
	CATEGORY_BUFFER, CATEGORY_PROCESS, CATEGORY_REPLAY, CATEGORY_REPORT, CATEGORIES,
};

struct option_choice {
	const char *name;	/* NULL ends the list */
	uint32_t value;
	const char *help;
};

struct option {
	const char *name, *alias;	/* a NULL name ends a table */
	enum option_type type;
	enum option_category category;
	uint32_t offset, width;		/* of the field */
	const char *standard;		/* default, as a user would write it; NULL: unset */
	uint64_t min, max;		/* of numbers and sizes; max 0: what the field holds */
	uint64_t unit_ns;
	const struct option_choice *choices;
	const char *help;		/* one sentence, first line of --cmdhelp */
};

/* offset and width of a field of a struct, for a row. */
#define OPTION_FIELD(structure, field) \
	.offset = offsetof(structure, field), .width = sizeof(((structure *)0)->field)

/* Whether the next command-line word is its value: flags take one only after '='. */
static inline int option_takes_value(const struct option *o)
{
	return o->type != OPTION_FLAG;
}

/* What a bare key in a job file means; NULL: a value is needed. */
static inline const char *option_bare_value(const struct option *o)
{
	return o->type == OPTION_FLAG ? "1" : o->type == OPTION_LOG_NAME ? "" : NULL;
}

#endif
