/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Any text gives a value or an error with a text, never neither. */
static void check(int code, const struct err *err)
{
	if ((code != 0) != (err->text[0] != '\0') || code != err->code)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct err errors[4] = { { 0 } };
	struct size_value value;
	uint32_t percent;
	uint64_t number;

	if (!text)
		return 0;
	check(units_number(text, 1024, &number, &errors[0]), &errors[0]);
	check(units_size(text, 1000, &value, &errors[1]), &errors[1]);
	check(units_time(text, 1000, &number, &errors[2]), &errors[2]);
	check(units_percent(text, &percent, &errors[3]), &errors[3]);
	free(text);
	return 0;
}
