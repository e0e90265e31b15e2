/* SPDX-License-Identifier: Apache-2.0 */
#include "err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int (err_set)(struct err *err, int code, const char *format, ...)
{
	va_list arguments;

	if (!err || err->code)
		return code;
	err->code = code;
	va_start(arguments, format);
	vsnprintf(err->text, sizeof(err->text), format, arguments);
	va_end(arguments);
	return code;
}

void bug_at(const char *file, int line, const char *text)
{
	fprintf(stderr, "iogate-engine: bug at %s:%d: %s\n", file, line, text);
	abort();
}
