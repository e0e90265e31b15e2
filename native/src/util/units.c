/* SPDX-License-Identifier: Apache-2.0 */
#include "util/units.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * A recursive-descent reader over long double, whose 64-bit mantissa holds every
 * uint64_t exactly:
 *   sum = product { (+|-) product }      product = power { (*|/|%) power }
 *   power = term [ ^ power ]             term = "(" sum ")" | [+|-] term | number [unit]
 */
struct number_reader {
	const char *text, *at;
	bool (*unit)(const struct number_reader *r, const char *word, size_t length,
		     long double *factor);
	const char *unit_help;
	uint32_t kb_base;
	unsigned depth;
	bool saw_unit;
	struct err *err;
};

enum { NESTING_MAX = 32, WORD_MAX = 16 };

static int read_sum(struct number_reader *r, long double *value);

static int fail(struct number_reader *r, const char *why)
{
	return err_set(r->err, -EINVAL, "cannot read '%.80s': %s", r->text, why);
}

static void skip_blanks(struct number_reader *r)
{
	while (*r->at == ' ' || *r->at == '\t')
		r->at++;
}

/* "10%" is a percentage, "10 % 3" a remainder: what follows decides. */
static bool is_remainder(const char *at)
{
	do
		at++;
	while (*at == ' ' || *at == '\t');
	return isalnum((unsigned char)*at) || *at == '(' || *at == '.';
}

size_t units_percent_sign(const char *at)
{
	return *at != '%' ? 0 : at[1] == '%' ? 2 : 1;
}

static int read_unit(struct number_reader *r, long double *value)
{
	const char *start;
	long double factor;
	size_t length;

	skip_blanks(r);
	start = r->at;
	while (isalpha((unsigned char)*r->at))
		r->at++;
	length = (size_t)(r->at - start);
	if (!length)
		return 0;
	if (length == 1 && tolower((unsigned char)*start) == 'z') {
		r->at = start;		/* zones: units_size looks for it */
		return 0;
	}
	if (!r->unit(r, start, length, &factor))
		return err_set(r->err, -EINVAL, "cannot read '%.80s': no unit '%.*s'; %s",
			       r->text, (int)(length < WORD_MAX ? length : WORD_MAX), start,
			       r->unit_help);
	r->saw_unit = true;
	*value *= factor;
	return 0;
}

static int read_number(struct number_reader *r, long double *value)
{
	char *end;

	if (!isdigit((unsigned char)*r->at) && *r->at != '.')
		return fail(r, *r->at ? "a number is expected" : "the number is missing");
	if (r->at[0] == '0' && (r->at[1] == 'x' || r->at[1] == 'X')) {
		errno = 0;
		*value = (long double)strtoull(r->at, &end, 16);
		if (errno)
			return fail(r, "the number is too large");
	} else {
		*value = strtold(r->at, &end);
	}
	if (end == r->at)
		return fail(r, "a number is expected");
	r->at = end;
	return read_unit(r, value);
}

static int read_group(struct number_reader *r, long double *value)
{
	int code;

	r->at++;
	code = read_sum(r, value);
	if (code)
		return code;
	skip_blanks(r);
	if (*r->at != ')')
		return fail(r, "')' is missing");
	r->at++;
	return read_unit(r, value);
}

static int read_term(struct number_reader *r, long double *value)
{
	int code;

	*value = 0;
	if (++r->depth > NESTING_MAX)
		return fail(r, "too deeply nested");
	skip_blanks(r);
	if (*r->at == '-' || *r->at == '+') {
		const bool negative = *r->at++ == '-';

		code = read_term(r, value);
		*value = negative ? -*value : *value;
	} else {
		code = *r->at == '(' ? read_group(r, value) : read_number(r, value);
	}
	r->depth--;
	return code;
}

static int read_power(struct number_reader *r, long double *value)
{
	long double exponent = 0;
	int code = read_term(r, value);

	if (code)
		return code;
	skip_blanks(r);
	if (*r->at != '^')
		return 0;
	r->at++;
	if (++r->depth > NESTING_MAX)
		return fail(r, "too deeply nested");
	code = read_power(r, &exponent);
	r->depth--;
	*value = code ? 0 : powl(*value, exponent);
	return code;
}

static int read_product(struct number_reader *r, long double *value)
{
	long double right = 0;
	int code = read_power(r, value);

	while (!code) {
		skip_blanks(r);
		const char operator = *r->at;

		if (operator != '*' && operator != '/'
		    && !(operator == '%' && is_remainder(r->at)))
			return 0;
		r->at++;
		code = read_power(r, &right);
		if (code)
			return code;
		if (operator == '*')
			*value *= right;
		else if (right == 0)
			return fail(r, "division by zero");
		else
			*value = operator == '/' ? *value / right : fmodl(*value, right);
	}
	return code;
}

static int read_sum(struct number_reader *r, long double *value)
{
	long double right = 0;
	int code = read_product(r, value);

	while (!code) {
		skip_blanks(r);
		const char operator = *r->at;

		if (operator != '+' && operator != '-')
			return 0;
		r->at++;
		code = read_product(r, &right);
		*value += operator == '+' ? right : -right;
	}
	return code;
}

/* [kmgtp][i][b], or b alone. */
static bool size_unit(const struct number_reader *r, const char *word, size_t length,
		      long double *factor)
{
	static const char prefixes[] = "kmgtp";
	const char *prefix = strchr(prefixes, tolower((unsigned char)*word));
	size_t at = prefix ? 1 : 0;
	long double base = r->kb_base;

	if (prefix && at < length && tolower((unsigned char)word[at]) == 'i') {
		base = 1024;
		at++;
	}
	if (at < length && tolower((unsigned char)word[at]) == 'b')
		at++;
	*factor = prefix ? powl(base, (long double)(prefix - prefixes + 1)) : 1;
	return at == length;
}

static bool time_unit(const struct number_reader *r, const char *word, size_t length,
		      long double *factor)
{
	static const struct {
		const char *name;
		long double ns;
	} units[] = {
		{ "ns", 1 }, { "nsec", 1 },
		{ "us", 1e3L }, { "usec", 1e3L }, { "ms", 1e6L }, { "msec", 1e6L },
		{ "s", 1e9L }, { "sec", 1e9L }, { "secs", 1e9L },
		{ "second", 1e9L }, { "seconds", 1e9L },
		{ "m", 60e9L }, { "min", 60e9L }, { "mins", 60e9L },
		{ "minute", 60e9L }, { "minutes", 60e9L },
		{ "h", 3600e9L }, { "hr", 3600e9L }, { "hour", 3600e9L },
		{ "hours", 3600e9L },
		{ "d", 86400e9L }, { "day", 86400e9L }, { "days", 86400e9L },
	};

	(void)r;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strlen(units[i].name) == length
		    && !strncasecmp(units[i].name, word, length)) {
			*factor = units[i].ns;
			return true;
		}
	}
	return false;
}

static struct number_reader size_reader(const char *text, uint32_t kb_base, struct err *err)
{
	return (struct number_reader){ .text = text, .at = text, .unit = size_unit,
				.unit_help = "sizes use k, m, g, t, p (powers of 1024), "
					     "also written KiB, MiB, ...",
				.kb_base = kb_base, .err = err };
}

static int read_end(struct number_reader *r)
{
	skip_blanks(r);
	return *r->at ? fail(r, "there is more after the number than its unit") : 0;
}

static int to_u64(struct number_reader *r, long double value, uint64_t *out)
{
	if (!(value >= 0))
		return fail(r, "it must not be below zero, and a range a-b is not "
			       "possible here");
	if (!(value < 18446744073709551616.0L))
		return fail(r, "it is too large (at most 2^64 - 1)");
	if (!r->saw_unit && floorl(value) != value)
		return fail(r, "it must be a whole number");
	*out = (uint64_t)value;
	return 0;
}

int units_number(const char *text, uint32_t kb_base, uint64_t *value, struct err *err)
{
	struct number_reader r = size_reader(text, kb_base, err);
	long double sum = 0;
	int code = read_sum(&r, &sum);

	code = code ? code : read_end(&r);
	return code ? code : to_u64(&r, sum, value);
}

int units_size(const char *text, uint32_t kb_base, struct size_value *value,
	       struct err *err)
{
	struct number_reader r = size_reader(text, kb_base, err);
	long double sum = 0;
	uint64_t whole = 0;
	char kind;
	int code = read_sum(&r, &sum);

	if (code)
		return code;
	skip_blanks(&r);
	kind = *r.at == '%' ? '%' : (char)tolower((unsigned char)*r.at) == 'z' ? 'z' : 0;
	r.at += kind == 'z' ? 1 : units_percent_sign(r.at);
	code = read_end(&r);
	code = code ? code : to_u64(&r, sum, &whole);
	if (code)
		return code;
	if (kind && r.saw_unit)
		return fail(&r, "a size is either in bytes or in % or z (zones), not both");
	if (kind == '%' && whole > 100)
		return fail(&r, "a percentage goes from 0 to 100");
	if (kind == 'z' && whole > UINT32_MAX)
		return fail(&r, "that many zones do not exist");
	*value = (struct size_value){ .bytes = kind ? 0 : whole,
				      .percent = kind == '%' ? (uint32_t)whole : 0,
				      .zones = kind == 'z' ? (uint32_t)whole : 0 };
	return 0;
}

int units_time(const char *text, uint64_t default_unit_ns, uint64_t *ns, struct err *err)
{
	struct number_reader r = { .text = text, .at = text, .unit = time_unit,
			    .unit_help = "times use us, ms, s, m (minutes), h, d",
			    .err = err };
	long double sum = 0;
	int code = read_sum(&r, &sum);

	code = code ? code : read_end(&r);
	if (code)
		return code;
	if (!r.saw_unit)
		sum *= (long double)default_unit_ns;
	r.saw_unit = true;
	return to_u64(&r, sum, ns);
}

int units_percent(const char *text, uint32_t *percent, struct err *err)
{
	struct number_reader r = size_reader(text, 1024, err);
	uint64_t whole = 0;
	long double sum = 0;
	int code = read_sum(&r, &sum);

	if (code)
		return code;
	skip_blanks(&r);
	r.at += units_percent_sign(r.at);
	code = read_end(&r);
	code = code ? code : to_u64(&r, floorl(sum), &whole);
	if (code)
		return code;
	if (whole > 100)
		return fail(&r, "a percentage goes from 0 to 100");
	*percent = (uint32_t)whole;
	return 0;
}
