/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "util/units.h"

size_t fuzz_taken;

/* Any text gives a value or an error with a text, never neither. */
static void check(int code, const struct err *err)
{
	if ((code != 0) != (err->text[0] != '\0') || code != err->code)
		abort();
	fuzz_taken += !code;
}

/* What a value is written as means that value. */
static void check_again(uint64_t value)
{
	struct err err = { 0 };
	char text[32];
	uint64_t again;

	snprintf(text, sizeof(text), "%" PRIu64, value);
	if (units_number(text, 1024, &again, &err) || again != value)
		abort();
	snprintf(text, sizeof(text), "%" PRIu64 "ns", value);
	if (units_time(text, 1000, &again, &err) || again != value)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct err errors[4] = { { 0 } };
	struct size_value bytes;
	uint32_t percent;
	uint64_t number, time;
	int code;

	if (!text)
		return 0;
	code = units_number(text, 1024, &number, &errors[0]);
	check(code, &errors[0]);
	check(units_size(text, 1024, &bytes, &errors[1]), &errors[1]);
	check(units_time(text, 1000, &time, &errors[2]), &errors[2]);
	check(units_percent(text, &percent, &errors[3]), &errors[3]);
	if (!code && (errors[1].code || bytes.bytes != number || bytes.percent || bytes.zones))
		abort();		/* a number is a size of as many bytes */
	if (!errors[1].code && bytes.percent > 100)
		abort();
	if (!errors[3].code && percent > 100)
		abort();
	if (!code)
		check_again(number);
	free(text);
	return 0;
}
