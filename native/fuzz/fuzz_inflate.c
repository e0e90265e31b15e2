/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "fuzz.h"
#include "logs/log_inflate.h"

size_t fuzz_taken;

/* A line is whole, and of no more than its columns can hold. */
static void check_line(void *context, const char *line, size_t length)
{
	(void)context;
	if (length < sizeof("0, 0, 0, 0, 0") || length > 160 || line[length - 1] != '\n')
		abort();
}

/* In two pieces, as a log may come from a file in any. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct log_inflater *i = log_inflater_new(check_line, NULL);
	struct err err = { 0 };

	if (!i)
		abort();
	if (!log_inflater_take(i, data, size / 2, &err) &&
	    !log_inflater_take(i, data + size / 2, size - size / 2, &err) &&
	    !log_inflater_end(i, &err))
		fuzz_taken++;
	else if (!err.text[0])
		abort();
	log_inflater_free(i);
	return 0;
}
