/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "job/option.h"
#include "util/suggest.h"
#include "util/units.h"

/* Types of a single value. */

enum { CHOICES_TEXT_MAX = 400 };

static int parse_text(const struct option_destination *to, const char *text)
{
	const char *copy = arena_text(to->memory, text, strlen(text));

	if (!*text)
		return err_set(to->err, -EINVAL, "a value is missing");
	memcpy(to->field, &copy, sizeof(copy));
	return 0;
}

const struct option_type type_text = {
	.words = "text",
	.width = sizeof(char *),
	.parse = parse_text,
};

/* A number of ms, say, that was given as a time: fio takes the m of `100ms` for 1024 * 1024. */
static int check_no_time(const struct option_destination *to, const char *text)
{
	const char *counts = to->option->counts;
	const size_t length = strlen(text);
	uint64_t number, ns;

	if (!counts || !length || !isalpha((unsigned char)text[length - 1]) ||
	    !units_number(text, to->kb_base, &number, NULL) || units_time(text, 1, &ns, NULL))
		return 0;
	return err_set(to->err, -EINVAL, "cannot read '%.80s': it is a number of %s, and takes no "
		       "unit of time", text, counts);
}

static int parse_number(const struct option_destination *to, const char *text)
{
	uint64_t value;
	int code = check_no_time(to, text);

	code = code ? code : units_number(text, to->kb_base, &value, to->err);
	code = code ? code : option_check_range(to, value);
	if (!code)
		option_store(to, value);
	return code;
}

const struct option_type type_number = {
	.words = "number",
	.parse = parse_number,
};

const struct option_type type_size = {
	.words = "size",
	.parse = parse_number,
};

static int parse_size_value(const struct option_destination *to, const char *text)
{
	struct size_value value;
	int code = units_size(text, to->kb_base, &value, to->err);

	if (!code)
		memcpy(to->field, &value, sizeof(value));
	return code;
}

const struct option_type type_size_value = {
	.words = "size, `%` or `z`",
	.width = sizeof(struct size_value),
	.parse = parse_size_value,
};

static int parse_time(const struct option_destination *to, const char *text)
{
	uint64_t ns;
	int code = units_time(text, to->option->unit_ns, &ns, to->err);

	code = code ? code : option_check_range(to, ns);
	if (!code)
		option_store(to, ns);
	return code;
}

const struct option_type type_time = {
	.words = "time",
	.width = sizeof(uint64_t),
	.parse = parse_time,
};

static int parse_percent(const struct option_destination *to, const char *text)
{
	uint32_t percent;
	int code = units_percent(text, &percent, to->err);

	if (!code)
		option_store(to, to->option->type == &type_percent_rest ? 100 - percent : percent);
	return code;
}

const struct option_type type_percent = {
	.words = "percent",
	.width = sizeof(uint32_t),
	.parse = parse_percent,
};

const struct option_type type_percent_rest = {
	.words = "percent",
	.width = sizeof(uint32_t),
	.parse = parse_percent,
};

static int parse_bool(const struct option_destination *to, const char *text)
{
	bool value;

	if (strcmp(text, "0") && strcmp(text, "1"))
		return err_set(to->err, -EINVAL, "'%.80s' is neither 0 nor 1", text);
	value = (*text == '1') != (to->option->type == &type_bool_not);
	memcpy(to->field, &value, sizeof(value));
	return 0;
}

const struct option_type type_bool = {
	.words = "0 or 1",
	.width = sizeof(bool),
	.parse = parse_bool,
};

const struct option_type type_bool_not = {
	.words = "0 or 1",
	.width = sizeof(bool),
	.parse = parse_bool,
};

/* As in fio, any number but 0 says yes: people write how many there are, "thread=32". */
static int parse_flag(const struct option_destination *to, const char *text)
{
	const bool value = text[strspn(text, "0")];

	if (!*text || text[strspn(text, "0123456789")])
		return err_set(to->err, -EINVAL, "'%.80s' is neither 0 nor 1", text);
	memcpy(to->field, &value, sizeof(value));
	return 0;
}

const struct option_type type_flag = {
	.words = "flag",
	.width = sizeof(bool),
	.parse = parse_flag,
	.bare = "1",
	.only_after_equals = true,
};

static int choice_error(const struct option_destination *to, const char *text)
{
	char names[CHOICES_TEXT_MAX] = "";
	struct suggestion close;
	size_t used = 0;

	suggestion_init(&close, text);

	for (const struct option_choice *c = to->option->choices; c->name; c++) {
		int n;

		suggestion_offer(&close, c->name);
		n = snprintf(names + used, sizeof(names) - used, "%s%s",
				       used ? ", " : "", c->name);

		if (n < 0 || (size_t)n >= sizeof(names) - used)
			break;
		used += (size_t)n;
	}
	return err_set(to->err, -EINVAL, "'%.80s' is not one of %s%s%s%s", text, names,
		       close.best ? "; did you mean '" : "", close.best ? close.best : "",
		       close.best ? "'?" : "");
}

static int parse_choice(const struct option_destination *to, const char *text)
{
	for (const struct option_choice *c = to->option->choices; c->name; c++) {
		if (!strcmp(c->name, text)) {
			option_store(to, c->value);
			return 0;
		}
	}
	return choice_error(to, text);
}

const struct option_type type_choice = {
	.words = "one of",
	.width = sizeof(uint32_t),
	.parse = parse_choice,
};

static int parse_log_name(const struct option_destination *to, const char *text)
{
	const char *copy = arena_text(to->memory, text, strlen(text));

	memcpy(to->field, &copy, sizeof(copy));
	return 0;
}

const struct option_type type_log_name = {
	.words = "text, or nothing for the job's name",
	.width = sizeof(char *),
	.parse = parse_log_name,
	.bare = "",
};
