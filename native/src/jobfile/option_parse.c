/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/engines.h"
#include "jobfile/distribution.h"
#include "jobfile/options.h"
#include "util/cpus.h"
#include "util/suggest.h"
#include "util/units.h"

enum { KB_BASE = 1024, CHOICES_TEXT_MAX = 400 };

const char *const option_type_names[OPTION_TYPES] = {
	[OPTION_STRING] = "text",
	[OPTION_NUMBER] = "number",
	[OPTION_SIZE] = "size",
	[OPTION_SIZES] = "size, or sizes `r,w,t`",
	[OPTION_SIZE_VALUE] = "size, `%` or `z`",
	[OPTION_TIME] = "time",
	[OPTION_PERCENT] = "percent",
	[OPTION_PERCENT_REST] = "percent",
	[OPTION_BOOL] = "0 or 1",
	[OPTION_BOOL_NOT] = "0 or 1",
	[OPTION_FLAG] = "flag",
	[OPTION_ENUM] = "one of",
	[OPTION_ENGINE] = "engine",
	[OPTION_LOG_NAME] = "text, or nothing for the job's name",
	[OPTION_PERCENTILES] = "percents, `:` between them",
	[OPTION_SIZE_RANGE] = "size, or sizes `a-b`",
	[OPTION_SPLITS] = "`size/percent:…`, or such lists `r,w,t`",
	[OPTION_DISTRIBUTION] = "`random` or `zipf:theta`",
	[OPTION_CPUS] = "CPUs, such as `0,2-4`",
};

const struct option *option_find(const struct option *table, const char *key)
{
	for (const struct option *o = table; o && o->name; o++)
		if (!strcmp(o->name, key) || (o->alias && !strcmp(o->alias, key)))
			return o;
	return NULL;
}

const struct option *option_find_engine(const char *key)
{
	for (const struct engine_ops *const *ops = engines_all; *ops; ops++) {
		const struct option *o = option_find((*ops)->options, key);

		if (o)
			return o;
	}
	return NULL;
}

static void offer_table(struct suggestion *s, const struct option *table)
{
	for (const struct option *o = table; o && o->name; o++) {
		suggestion_offer(s, o->name);
		if (o->alias)
			suggestion_offer(s, o->alias);
	}
}

const char *option_suggest(const char *key)
{
	struct suggestion s;

	suggestion_init(&s, key);
	offer_table(&s, options_all);
	for (const struct engine_ops *const *ops = engines_all; *ops; ops++)
		offer_table(&s, (*ops)->options);
	return s.best;
}

struct destination {		/* what a type's parser works on */
	const struct option *option;
	unsigned char *field;
	struct arena *memory;
	struct err *err;
};

static int check_range(const struct destination *to, uint64_t value)
{
	const struct option *o = to->option;
	const uint64_t holds = o->width == sizeof(uint32_t) ? UINT32_MAX : UINT64_MAX;
	const uint64_t max = o->max ? o->max : holds;

	if (value < o->min)
		return err_set(to->err, -EINVAL, "%" PRIu64 " is too small, at least %" PRIu64
			       " is needed", value, o->min);
	if (value > max)
		return err_set(to->err, -EINVAL, "%" PRIu64 " is too large, at most %" PRIu64
			       " is possible", value, max);
	return 0;
}

static void store(const struct destination *to, uint64_t value)
{
	const uint32_t narrow = (uint32_t)value;

	if (to->option->width == sizeof(narrow))
		memcpy(to->field, &narrow, sizeof(narrow));
	else
		memcpy(to->field, &value, sizeof(value));
}

static int parse_string(const struct destination *to, const char *text)
{
	const char *copy = arena_text(to->memory, text, strlen(text));

	if (!*text)
		return err_set(to->err, -EINVAL, "a value is missing");
	memcpy(to->field, &copy, sizeof(copy));
	return 0;
}

static int parse_number(const struct destination *to, const char *text)
{
	uint64_t value;
	int code = units_number(text, KB_BASE, &value, to->err);

	code = code ? code : check_range(to, value);
	if (!code)
		store(to, value);
	return code;
}

/* One part of "r,w,t". The last one is for all directions that follow, too; an
 * empty one keeps what the field held. */
static int parse_part(const struct destination *to, const char *text, size_t length,
		      bool last, unsigned dir, uint64_t values[DIR_DATA_COUNT])
{
	const char *part = arena_text(to->memory, text, length);
	int code;

	if (!length)
		return last && !dir ? err_set(to->err, -EINVAL, "the size is missing") : 0;
	code = units_number(part, KB_BASE, &values[dir], to->err);
	code = code ? code : check_range(to, values[dir]);
	for (unsigned rest = dir + 1; rest < DIR_DATA_COUNT && last; rest++)
		values[rest] = values[dir];
	return code;
}

static int parse_sizes(const struct destination *to, const char *text)
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

static int parse_size_value(const struct destination *to, const char *text)
{
	struct size_value value;
	int code = units_size(text, KB_BASE, &value, to->err);

	if (!code)
		memcpy(to->field, &value, sizeof(value));
	return code;
}

static int parse_time(const struct destination *to, const char *text)
{
	uint64_t ns;
	int code = units_time(text, to->option->unit_ns, &ns, to->err);

	code = code ? code : check_range(to, ns);
	if (!code)
		store(to, ns);
	return code;
}

static int parse_percent(const struct destination *to, const char *text)
{
	uint32_t percent;
	int code = units_percent(text, &percent, to->err);

	if (!code)
		store(to, to->option->type == OPTION_PERCENT_REST ? 100 - percent : percent);
	return code;
}

static int parse_bool(const struct destination *to, const char *text)
{
	bool value;

	if (strcmp(text, "0") && strcmp(text, "1"))
		return err_set(to->err, -EINVAL, "'%.80s' is neither 0 nor 1", text);
	value = (*text == '1') != (to->option->type == OPTION_BOOL_NOT);
	memcpy(to->field, &value, sizeof(value));
	return 0;
}

static int choice_error(const struct destination *to, const char *text)
{
	char names[CHOICES_TEXT_MAX] = "";
	size_t used = 0;

	for (const struct option_choice *c = to->option->choices; c->name; c++) {
		const int n = snprintf(names + used, sizeof(names) - used, "%s%s",
				       used ? ", " : "", c->name);

		if (n < 0 || (size_t)n >= sizeof(names) - used)
			break;
		used += (size_t)n;
	}
	return err_set(to->err, -EINVAL, "'%.80s' is not one of %s", text, names);
}

static int parse_enum(const struct destination *to, const char *text)
{
	for (const struct option_choice *c = to->option->choices; c->name; c++) {
		if (!strcmp(c->name, text)) {
			store(to, c->value);
			return 0;
		}
	}
	return choice_error(to, text);
}

static int engine_error(const struct destination *to, const char *text)
{
	struct suggestion s;

	suggestion_init(&s, text);
	for (const struct engine_ops *const *ops = engines_all; *ops; ops++)
		suggestion_offer(&s, (*ops)->name);
	return err_set(to->err, -EINVAL, "there is no engine '%.80s'%s%s%s", text,
		       s.best ? ", did you mean '" : "", s.best ? s.best : "",
		       s.best ? "'?" : "; --enghelp lists them");
}

static int parse_engine(const struct destination *to, const char *text)
{
	const struct engine_ops *ops = engine_find(text);

	if (!ops)
		return engine_error(to, text);
	memcpy(to->field, &ops, sizeof(void *));
	return 0;
}

static int parse_log_name(const struct destination *to, const char *text)
{
	const char *copy = arena_text(to->memory, text, strlen(text));

	memcpy(to->field, &copy, sizeof(copy));
	return 0;
}

static int parse_percentile(const struct destination *to, const char *text, const char **end,
			    double *percent)
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

static int parse_percentiles(const struct destination *to, const char *text)
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

static int parse_size_range(const struct destination *to, const char *text)
{
	const char *dash = strchr(text, '-');
	const size_t length = dash ? (size_t)(dash - text) : strlen(text);
	struct size_range range;
	int code = units_number(arena_text(to->memory, text, length), KB_BASE, &range.min_bytes,
				to->err);

	range.max_bytes = range.min_bytes;
	if (!code && dash)
		code = units_number(dash + 1, KB_BASE, &range.max_bytes, to->err);
	code = code ? code : check_range(to, range.min_bytes);
	if (!code && range.max_bytes < range.min_bytes)
		return err_set(to->err, -EINVAL, "'%.80s' ends before it begins", text);
	if (!code)
		memcpy(to->field, &range, sizeof(range));
	return code;
}

static int parse_splits(const struct destination *to, const char *text)
{
	struct block_split splits[DIR_DATA_COUNT] = { { 0 } };
	int code = bssplit_parse(text, splits, to->memory, to->err);

	if (!code)
		memcpy(to->field, splits, sizeof(splits));
	return code;
}

static int parse_distribution(const struct destination *to, const char *text)
{
	struct distribution d;
	int code = distribution_parse(text, &d, to->err);

	if (!code)
		memcpy(to->field, &d, sizeof(d));
	return code;
}

static int parse_cpus(const struct destination *to, const char *text)
{
	return cpus_parse(text, (void *)to->field, to->err);
}

static int (*const parsers[OPTION_TYPES])(const struct destination *, const char *) = {
	[OPTION_STRING] = parse_string,
	[OPTION_NUMBER] = parse_number,
	[OPTION_SIZE] = parse_number,
	[OPTION_SIZES] = parse_sizes,
	[OPTION_SIZE_VALUE] = parse_size_value,
	[OPTION_TIME] = parse_time,
	[OPTION_PERCENT] = parse_percent,
	[OPTION_PERCENT_REST] = parse_percent,
	[OPTION_BOOL] = parse_bool,
	[OPTION_BOOL_NOT] = parse_bool,
	[OPTION_FLAG] = parse_bool,
	[OPTION_ENUM] = parse_enum,
	[OPTION_ENGINE] = parse_engine,
	[OPTION_SPLITS] = parse_splits,
	[OPTION_DISTRIBUTION] = parse_distribution,
	[OPTION_CPUS] = parse_cpus,
	[OPTION_LOG_NAME] = parse_log_name,
	[OPTION_PERCENTILES] = parse_percentiles,
	[OPTION_SIZE_RANGE] = parse_size_range,
};

int option_parse(const struct option *o, const char *value, void *structure,
		 struct arena *memory, struct err *err)
{
	struct err why = { 0 };
	const struct destination to = { o, (unsigned char *)structure + o->offset, memory, &why };
	int code;

	if (!value && !option_bare_value(o))
		return err_set(err, -EINVAL, "%s: a value is missing (%s)", o->name,
			       option_type_names[o->type]);
	code = parsers[o->type](&to, value ? value : option_bare_value(o));
	return code ? err_set(err, code, "%s: %s", o->name, why.text) : 0;
}

void option_defaults(const struct option *table, void *structure, struct arena *memory)
{
	for (const struct option *o = table; o && o->name; o++) {
		if (o->standard && option_parse(o, o->standard, structure, memory, NULL))
			BUG("an option's default does not parse");
	}
}
