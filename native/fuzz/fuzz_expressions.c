/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "util/units.h"

size_t fuzz_taken;

/*
 * Bytes choose an expression, which is written down and calculated here in whole numbers as well:
 * both have to come to the same. What does not fit is left to the other targets.
 */
struct writer {
	const uint8_t *data, *end;
	char text[4096];
	size_t length;
	bool fits;
};

enum { DEPTH_MAX = 12 };
static const int64_t LARGEST = INT64_C(1) << 50;

static uint8_t next(struct writer *w)
{
	return w->data < w->end ? *w->data++ : 0;
}

static void put(struct writer *w, const char *text)
{
	const size_t length = strlen(text);

	if (w->length + length + 1 > sizeof(w->text)) {
		w->fits = false;
		return;
	}
	memcpy(w->text + w->length, text, length + 1);
	w->length += length;
}

static int64_t number(struct writer *w)
{
	static const struct {
		const char *word;
		int64_t factor;
	} units[] = {
		{ "", 1 }, { "k", 1 << 10 }, { "M", 1 << 20 }, { "KiB", 1 << 10 },
		{ "b", 1 }, { " g", 1 << 30 }, { "mi", 1 << 20 },
	};
	const int64_t value = next(w);
	const uint8_t unit = next(w) % (sizeof(units) / sizeof(*units));
	char text[32];

	snprintf(text, sizeof(text), next(w) & 1 ? "0x%" PRIx64 : "%" PRId64, value);
	put(w, text);
	/* b is a digit of 0xb, and "" is what a reader may take for granted */
	if (text[1] == 'x')
		return value;
	put(w, units[unit].word);
	return value * units[unit].factor;
}

static int64_t calculate(struct writer *w, char operator, int64_t left, int64_t right)
{
	switch (operator) {
	case '+':
		return left + right;
	case '-':
		return left - right;
	case '*':
		if (llabs(left) >= 1 << 24 || llabs(right) >= 1 << 24)
			w->fits = false;
		return w->fits ? left * right : 0;
	default:
		if (!right)
			w->fits = false;
		return right ? left % right : 0;
	}
}

/* Each operation stands in brackets of its own, but for an outermost one. */
static int64_t expression(struct writer *w, unsigned depth)
{
	static const char *const operators[] = { " + ", "-", "*", " % " };
	const uint8_t choice = depth < DEPTH_MAX ? next(w) : 0;
	const char *operator = operators[choice / 4 % 4];
	int64_t left, right;

	if (choice % 4 == 0)
		return number(w);
	if (choice % 4 == 1) {
		put(w, "-(");
		left = -expression(w, depth + 1);
		put(w, ")");
		return left;
	}
	put(w, "(");
	left = expression(w, depth + 1);
	put(w, operator);
	put(w, operator[1] == '%' ? "(" : "");	/* "5 % -3" is a percentage of something */
	right = expression(w, depth + 1);
	put(w, operator[1] == '%' ? "))" : ")");
	left = calculate(w, strchr("+-*%", operator[0]) ? operator[0] : operator[1], left, right);
	if (llabs(left) > LARGEST)
		w->fits = false;
	return w->fits ? left : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct writer w = { .data = data, .end = data + size, .fits = true };
	const int64_t expected = expression(&w, 0);
	struct err err = { 0 };
	uint64_t value = 0;
	int code;

	if (!w.fits)
		return 0;
	code = units_number(w.text, 1024, &value, &err);
	if ((code != 0) != (expected < 0) || (code != 0) != (err.text[0] != '\0'))
		abort();
	if (!code && value != (uint64_t)expected)
		abort();
	fuzz_taken += !code;
	return 0;
}
