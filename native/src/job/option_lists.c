/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "job/distribution.h"
#include "job/job.h"
#include "job/option.h"
#include "util/cpus.h"
#include "util/units.h"

/* Types of several values: one for each direction, a range or a list. */

enum { MICROSECOND = 1000 };

/* One part of "r,w,t". The last one is for all directions that follow, too; an
 * empty one keeps what the field held. */
static int parse_part(const struct option_destination *to, const char *text, size_t length,
		      bool last, unsigned dir, uint64_t values[DIR_DATA_COUNT])
{
	const char *part = arena_text(to->memory, text, length);
	int code;

	if (!length)
		return last && !dir ? err_set(to->err, -EINVAL, "the size is missing") : 0;
	code = to->option->type == &type_microseconds
	       ? units_time(part, MICROSECOND, &values[dir], to->err)
	       : units_number(part, to->kb_base, &values[dir], to->err);
	code = code ? code : option_check_range(to, values[dir]);
	for (unsigned rest = dir + 1; rest < DIR_DATA_COUNT && last; rest++)
		values[rest] = values[dir];
	return code;
}

static int parse_sizes(const struct option_destination *to, const char *text)
{
	uint64_t values[DIR_DATA_COUNT];
	const char *at = text;

	memcpy(values, to->field, sizeof(values));
	for (unsigned dir = 0; at; dir++) {
		const size_t length = strcspn(at, ",");
		int code;

		if (dir == DIR_DATA_COUNT)
			return err_set(to->err, -EINVAL, "'%.80s' has more than the three "
				       "parts read,write,trim", text);
		code = parse_part(to, at, length, !at[length], dir, values);
		if (code)
			return code;
		at = at[length] ? at + length + 1 : NULL;
	}
	memcpy(to->field, values, sizeof(values));
	return 0;
}

const struct option_type type_sizes = {
	.words = "size, or sizes `r,w,t`",
	.width = DIR_DATA_COUNT * sizeof(uint64_t),
	.parse = parse_sizes,
};

const struct option_type type_microseconds = {
	.words = "time, or times `r,w,t`",
	.width = DIR_DATA_COUNT * sizeof(uint64_t),
	.parse = parse_sizes,
};

static int parse_percentile(const struct option_destination *to, const char *text,
			    const char **end, double *percent)
{
	char *rest;

	*percent = strtod(text, &rest);
	*end = rest;
	if (rest == text || (*rest && *rest != ':'))
		return err_set(to->err, -EINVAL, "'%.80s' is no list of numbers with ':' between "
			       "them", text);
	if (!(*percent >= 0 && *percent <= 100))
		return err_set(to->err, -EINVAL, "%g is not from 0 to 100", *percent);
	return 0;
}

static int compare_doubles(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* They are keys of the JSON, with six digits: each may be there once. */
static uint32_t drop_equals(double *percents, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++)
		if (!kept || round(percents[i] * 1e6) != round(percents[kept - 1] * 1e6))
			percents[kept++] = percents[i];
	return kept;
}

static int parse_percentiles(const struct option_destination *to, const char *text)
{
	struct percentile_list list = { .count = 0 };
	const char *at = text;
	int code;

	for (; at; at = *at ? at + 1 : NULL) {
		if (list.count == PERCENTILES_MAX)
			return err_set(to->err, -EINVAL, "more than %d percentiles",
				       PERCENTILES_MAX);
		code = parse_percentile(to, at, &at, &list.percents[list.count++]);
		if (code)
			return code;
	}
	qsort(list.percents, list.count, sizeof(double), compare_doubles);
	list.count = drop_equals(list.percents, list.count);
	memcpy(to->field, &list, sizeof(list));
	return 0;
}

const struct option_type type_percentiles = {
	.words = "percents, `:` between them",
	.width = sizeof(struct percentile_list),
	.parse = parse_percentiles,
};

/* Either stands between the two ends. */
static const char *range_sign(const char *text)
{
	return strpbrk(text, "-:");
}

static int parse_size_range(const struct option_destination *to, const char *text)
{
	const char *dash = range_sign(text);
	const size_t length = dash ? (size_t)(dash - text) : strlen(text);
	struct size_range range;
	int code = units_number(arena_text(to->memory, text, length), to->kb_base, &range.min_bytes,
				to->err);

	range.max_bytes = range.min_bytes;
	if (!code && dash)
		code = units_number(dash + 1, to->kb_base, &range.max_bytes, to->err);
	code = code ? code : option_check_range(to, range.min_bytes);
	if (!code && range.max_bytes < range.min_bytes)
		return err_set(to->err, -EINVAL, "'%.80s' ends before it begins", text);
	if (!code)
		memcpy(to->field, &range, sizeof(range));
	return code;
}

const struct option_type type_size_range = {
	.words = "size, or sizes `a-b`",
	.width = sizeof(struct size_range),
	.parse = parse_size_range,
};

static int parse_time_range(const struct option_destination *to, const char *text)
{
	const uint64_t unit_ns = to->option->unit_ns;
	const char *dash = range_sign(text);
	const size_t length = dash ? (size_t)(dash - text) : strlen(text);
	struct time_range range;
	int code = units_time(arena_text(to->memory, text, length), unit_ns, &range.min_ns,
			      to->err);

	range.max_ns = range.min_ns;
	if (!code && dash)
		code = units_time(dash + 1, unit_ns, &range.max_ns, to->err);
	if (!code && range.max_ns < range.min_ns)
		return err_set(to->err, -EINVAL, "'%.80s' ends before it begins", text);
	if (!code)
		memcpy(to->field, &range, sizeof(range));
	return code;
}

const struct option_type type_time_range = {
	.words = "time, or times `a-b`",
	.width = sizeof(struct time_range),
	.parse = parse_time_range,
};

/* Either end may be the smaller one. */
static int parse_range(const struct option_destination *to, const char *text,
		       struct size_range *range)
{
	const char *dash = range_sign(text);
	uint64_t a, b;
	int code;

	if (!dash)
		return err_set(to->err, -EINVAL, "'%.80s' is no range such as 1k-4k", text);
	code = units_number(arena_text(to->memory, text, (size_t)(dash - text)), to->kb_base, &a,
			    to->err);
	code = code ? code : units_number(dash + 1, to->kb_base, &b, to->err);
	code = code ? code : option_check_range(to, a);
	code = code ? code : option_check_range(to, b);
	if (!code)
		*range = (struct size_range){ a < b ? a : b, a < b ? b : a };
	return code;
}

/* As with sizes, the last part is for all directions that follow, too: an empty one leaves them as
 * they are. */
static int parse_size_ranges(const struct option_destination *to, const char *text)
{
	struct size_range ranges[DIR_DATA_COUNT];
	const char *at = text;
	unsigned dir = 0;

	memcpy(ranges, to->field, sizeof(ranges));
	for (; at; dir++) {
		const size_t length = strcspn(at, ",/");
		int code = 0;

		if (dir == DIR_DATA_COUNT)
			return err_set(to->err, -EINVAL, "'%.80s' has more than the three "
				       "parts read,write,trim", text);
		if (length || (!dir && !at[length]))
			code = parse_range(to, arena_text(to->memory, at, length), &ranges[dir]);
		if (code)
			return code;
		at = at[length] ? at + length + 1 : NULL;
	}
	for (; dir < DIR_DATA_COUNT; dir++)
		ranges[dir] = ranges[dir - 1];
	memcpy(to->field, ranges, sizeof(ranges));
	return 0;
}

const struct option_type type_size_ranges = {
	.words = "sizes `a-b`, or such ranges `r,w,t`",
	.width = DIR_DATA_COUNT * sizeof(struct size_range),
	.parse = parse_size_ranges,
};

static int parse_splits(const struct option_destination *to, const char *text)
{
	struct block_split splits[DIR_DATA_COUNT] = { { 0 } };
	int code = bssplit_parse(text, to->kb_base, splits, to->memory, to->err);

	if (!code)
		memcpy(to->field, splits, sizeof(splits));
	return code;
}

const struct option_type type_splits = {
	.words = "`size/percent:…`, or such lists `r,w,t`",
	.width = DIR_DATA_COUNT * sizeof(struct block_split),
	.parse = parse_splits,
};

static int parse_distribution(const struct option_destination *to, const char *text)
{
	struct distribution d;
	int code = distribution_parse(text, to->kb_base, &d, to->memory, to->err);

	if (!code)
		memcpy(to->field, &d, sizeof(d));
	return code;
}

const struct option_type type_distribution = {
	.words = "`random`, `zipf:theta`, `pareto:power`, `normal:percent`, `zoned:…`, "
		 "`zoned_abs:…` or `sequence:2,0,1`",
	.width = sizeof(struct distribution),
	.parse = parse_distribution,
};

/* The kind that a word of a list names; DIR_COUNT: none. */
static unsigned io_kind(const char *word, size_t length)
{
	unsigned kind = 0;

	while (kind < DIR_COUNT && (strlen(io_dir_names[kind]) != length ||
				    memcmp(word, io_dir_names[kind], length)))
		kind++;
	return kind;
}

static int parse_io_kinds(const struct option_destination *to, const char *text)
{
	uint32_t kinds = 0;

	for (const char *at = text;; at++) {
		const size_t length = strcspn(at, ",");
		const unsigned kind = io_kind(at, length);

		if (kind == DIR_COUNT)
			return err_set(to->err, -EINVAL, "'%.80s' is not a list of read, write, "
				       "trim, sync", text);
		kinds |= 1u << kind;
		at += length;
		if (!*at)
			break;
	}
	option_store(to, kinds);
	return 0;
}

const struct option_type type_io_kinds = {
	.words = "list of `read`, `write`, `trim`, `sync`",
	.width = sizeof(uint32_t),
	.parse = parse_io_kinds,
};

static int parse_cpus(const struct option_destination *to, const char *text)
{
	return cpus_parse(text, (void *)to->field, to->err);
}

const struct option_type type_cpus = {
	.words = "CPUs, such as `0,2-4`",
	.width = sizeof(struct cpu_list),
	.parse = parse_cpus,
};
