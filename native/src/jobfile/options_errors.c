/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ERRNO_END = 4096, ON_IO = 1 << ERROR_READ | 1 << ERROR_WRITE };

static const struct option_choice continue_choices[] = {
	{ "none", 0, "no error" },
	{ "read", 1 << ERROR_READ, "errors of reads" },
	{ "write", 1 << ERROR_WRITE, "errors of writes, trims and syncs" },
	{ "io", ON_IO, "errors of any I/O" },
	{ "verify", 1 << ERROR_VERIFY, "damage that verify finds" },
	{ "all", ON_IO | 1 << ERROR_VERIFY, "any error" },
	{ "0", 0, "the same as none" },
	{ "1", ON_IO | 1 << ERROR_VERIFY, "the same as all" },
	{ NULL, 0, NULL },
};

/* ENOSPC or 28; 0: there is no such error. */
static int errno_of(const char *name)
{
	const long number = strtol(name, NULL, 10);

	if (isdigit((unsigned char)*name))
		return number < ERRNO_END ? (int)number : 0;
	for (int code = 1; code < ERRNO_END; code++) {
		const char *known = strerrorname_np(code);

		if (known && !strcmp(known, name))
			return code;
	}
	return 0;
}

/* "EAGAIN:11", which may be empty. */
static int parse_errors(const struct option_destination *to, char *text, struct error_list *list)
{
	char *rest = NULL;

	*list = (struct error_list){ .count = 0 };
	for (char *name = strtok_r(text, ":", &rest); name; name = strtok_r(NULL, ":", &rest)) {
		const int code = errno_of(name);

		if (!code)
			return err_set(to->err, -EINVAL, "'%.40s' is no error: name it (ENOSPC) or "
				       "give its number", name);
		if (list->count == IGNORED_MAX)
			return err_set(to->err, -EINVAL, "more than %d errors", IGNORED_MAX);
		list->codes[list->count++] = (uint16_t)code;
	}
	return 0;
}

static int parse_ignored(const struct option_destination *to, const char *text)
{
	struct error_list lists[ERROR_KINDS] = { { .count = 0 } };
	char *at = arena_text(to->memory, text, strlen(text));
	int code = 0;

	for (int kind = 0; at && !code; kind++) {
		char *comma = strchr(at, ',');

		if (kind == ERROR_KINDS)
			return err_set(to->err, -EINVAL, "'%.80s' has more than the three lists "
				       "read,write,verify", text);
		if (comma)
			*comma = '\0';
		code = parse_errors(to, at, &lists[kind]);
		at = comma ? comma + 1 : NULL;
	}
	if (!code)
		memcpy(to->field, lists, sizeof(lists));
	return code;
}

static const struct option_type type_ignored = {
	.words = "errors `:` between them, lists `read,write,verify`",
	.width = sizeof(struct error_list[ERROR_KINDS]),
	.parse = parse_ignored,
};

static const struct option rows[] = {
	{ "continue_on_error", NULL, &type_choice, JOB(errors.continue_on), "none",
	  .choices = continue_choices,
	  .help = "After which errors, EIO or damaged data, the job goes on; they are counted." },
	{ "error_dump", NULL, &type_bool, JOB(nothing.flag), "0",
	  .help = "Does nothing: the first error is told, and all are counted by errno." },
	{ "ignore_error", NULL, &type_ignored, JOB(errors.ignore),
	  .help = "After which errors the job goes on, in place of continue_on_error: "
		  "`EAGAIN,ENOSPC:122` of reads, writes and verify." },
	{ "max_latency", NULL, &type_microseconds, JOB(latency.max_ns), "0",
	  .help = "End the job with an error when an I/O takes longer, `r,w,t`; a number without "
		  "unit is in microseconds." },
	{ .name = NULL },
};

const struct option_category options_errors = { "Errors and limits", rows };
