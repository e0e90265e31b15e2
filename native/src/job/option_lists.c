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

enum { KB_BASE = 1024 };

/* One part of "r,w,t". The last one is for all directions that follow, too; an
 * empty one keeps what the field held. */
static int parse_part(const struct option_destination *to, const char *text, size_t length,
		      bool last, unsigned dir, uint64_t values[DIR_DATA_COUNT])
{
	const char *part = arena_text(to->memory, text, length);
	int code;

	if (!length)
		return last && !dir ? err_set(to->err, -EINVAL, "the size is missing") : 0;
	code = units_number(part, KB_BASE, &values[dir], to->err);
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

static int parse_percentile(const struct option_destination *to, const char *text,
			    const char **end, double *percent)
{
	char *rest;

	*percent = strtod(text, &rest);
	*end = rest;
	if (rest == text || (*rest && *rest != ':'))
		return err_set(to->err, -EINVAL, "'%.80s' is no list of numbers with ':' between "
			       "them", text);
	if (!(*percent > 0 && *percent <= 100))
		return err_set(to->err, -EINVAL, "%g is not above 0 and at most 100", *percent);
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

static int parse_size_range(const struct option_destination *to, const char *text)
{
	const char *dash = strchr(text, '-');
	const size_t length = dash ? (size_t)(dash - text) : strlen(text);
	struct size_range range;
	int code = units_number(arena_text(to->memory, text, length), KB_BASE, &range.min_bytes,
				to->err);

	range.max_bytes = range.min_bytes;
	if (!code && dash)
		code = units_number(dash + 1, KB_BASE, &range.max_bytes, to->err);
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

static int parse_splits(const struct option_destination *to, const char *text)
{
	struct block_split splits[DIR_DATA_COUNT] = { { 0 } };
	int code = bssplit_parse(text, splits, to->memory, to->err);

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
	int code = distribution_parse(text, &d, to->err);

	if (!code)
		memcpy(to->field, &d, sizeof(d));
	return code;
}

const struct option_type type_distribution = {
	.words = "`random` or `zipf:theta`",
	.width = sizeof(struct distribution),
	.parse = parse_distribution,
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
