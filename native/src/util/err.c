/* SPDX-License-Identifier: Apache-2.0 */
#include "util/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int (err_refuse)(struct err *err, int code, const char *format, ...)
{
	va_list arguments;

	if (!err || err->code)
		return code;
	err->code = code;
	err->refused = true;
	va_start(arguments, format);
	vsnprintf(err->text, sizeof(err->text), format, arguments);
	va_end(arguments);
	return code;
}

int (err_add)(struct err *err, int code, const char *format, ...)
{
	static const char more[] = "\n...";
	size_t used = err && err->code ? strlen(err->text) + 1 : 0;
	char text[sizeof(err->text)];
	va_list arguments;

	if (!err || (used >= sizeof(more) && !strcmp(err->text + used - sizeof(more), more)))
		return code;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (!used)
		return err_set(err, code, "%s", text);
	if (used + strlen(text) + sizeof(more) > sizeof(err->text))
		snprintf(err->text + used - 1, sizeof(err->text) - used + 1, "%s", more);
	else
		snprintf(err->text + used - 1, sizeof(err->text) - used + 1, "\n%s", text);
	return code;
}

void bug_at(const char *file, int line, const char *text)
{
	fprintf(stderr, "iogate-engine: bug at %s:%d: %s\n", file, line, text);
	abort();
}
