/* SPDX-License-Identifier: Apache-2.0 */
#include "job/option.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { KB_BASE = 1024 };

const struct option *option_find(const struct option *table, const char *key)
{
	for (const struct option *o = table; o && o->name; o++)
		if (!strcmp(o->name, key) || (o->alias && !strcmp(o->alias, key)))
			return o;
	return NULL;
}

int option_check_range(const struct option_destination *to, uint64_t value)
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

void option_store(const struct option_destination *to, uint64_t value)
{
	const uint32_t narrow = (uint32_t)value;

	if (to->option->width == sizeof(narrow))
		memcpy(to->field, &narrow, sizeof(narrow));
	else
		memcpy(to->field, &value, sizeof(value));
}

int option_parse_based(const struct option *o, const char *value, uint32_t kb_base,
		       void *structure, struct arena *memory, struct err *err)
{
	struct err why = { 0 };
	const struct option_destination to = { o, (unsigned char *)structure + o->offset, memory,
					       kb_base, &why };
	const char *text = value ? value : o->type->bare;
	int code;

	if (!text)
		return err_set(err, -EINVAL, "%s: a value is missing (%s)", o->name,
			       o->type->words);
	code = o->type->parse(&to, text);
	return code ? err_set(err, code, "%s: %s", o->name, why.text) : 0;
}

int option_parse(const struct option *o, const char *value, void *structure,
		 struct arena *memory, struct err *err)
{
	return option_parse_based(o, value, KB_BASE, structure, memory, err);
}

void option_defaults(const struct option *table, void *structure, struct arena *memory)
{
	for (const struct option *o = table; o && o->name; o++) {
		if (o->standard && option_parse(o, o->standard, structure, memory, NULL))
			BUG("an option's default does not parse");
	}
}
