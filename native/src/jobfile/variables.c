/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "jobfile/sections.h"

static unsigned long long keyword_pagesize(void)
{
	return (unsigned long long)sysconf(_SC_PAGESIZE);
}

static unsigned long long keyword_mb_memory(void)
{
	return (unsigned long long)sysconf(_SC_PHYS_PAGES) * keyword_pagesize() >> 20;
}

static unsigned long long keyword_ncpus(void)
{
	return (unsigned long long)sysconf(_SC_NPROCESSORS_ONLN);
}

static const struct {
	const char *name;
	unsigned long long (*value)(void);
} keywords[] = {
	{ "$pagesize", keyword_pagesize },
	{ "$mb_memory", keyword_mb_memory },
	{ "$ncpus", keyword_ncpus },
};

/* The text that stands for the variable at `at`, and how long the variable is;
 * NULL without an error when it is none ("$jobname", a lone "$"). */
static const char *replacement(const struct job_builder *b, const char *at,
			       const char *last_brace, size_t *length, struct err *err)
{
	const char *end, *name, *value;

	for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++) {
		*length = strlen(keywords[i].name);
		if (!strncmp(at, keywords[i].name, *length))
			return arena_format(b->memory, "%llu", keywords[i].value());
	}
	end = at[1] == '{' && last_brace && last_brace > at ? strchr(at, '}') : NULL;
	if (!end)
		return NULL;
	*length = (size_t)(end - at) + 1;
	name = arena_text(b->memory, at + 2, *length - 3);
	value = b->source.environment ? b->source.environment(b->source.context, name) : NULL;
	if (!value)
		err_set(err, -EINVAL, "environment variable '%.80s' is not set; set it, or "
			"write its value here", name);
	return value;
}

/* Text that grows: by doubling, so that what is added is not copied again each time. */
struct growing {
	char *text;
	size_t length, room;
};

static void grow(struct growing *g, const char *text, size_t length, struct arena *memory)
{
	char *more;

	if (!g->text || g->room - g->length < length + 1) {
		g->room = 2 * (g->length + length + 1);
		more = arena_alloc(memory, g->room);
		if (g->length)
			memcpy(more, g->text, g->length);
		g->text = more;
	}
	memcpy(g->text + g->length, text, length);
	g->length += length;
	g->text[g->length] = '\0';
}

int variables_expand(const struct job_builder *b, const char *text, const char **expanded,
		     struct err *err)
{
	const char *at = text, *dollar, *last_brace = strrchr(text, '}');
	struct growing done = { 0 };

	if (b->literal && strchr(text, '$'))
		return err_set(err, -EINVAL, "'%.200s' holds $, and with --literal nothing is "
			       "replaced; write what it stands for", text);
	while ((dollar = strchr(at, '$'))) {
		struct err why = { 0 };
		size_t length = 1;
		const char *value = replacement(b, dollar, last_brace, &length, &why);

		if (why.code)
			return err_set(err, why.code, "%s", why.text);
		if (!value) {
			length = 1;
			value = "$";
		}
		grow(&done, at, (size_t)(dollar - at), b->memory);
		grow(&done, value, strlen(value), b->memory);
		at = dollar + length;
	}
	if (done.text)
		grow(&done, at, strlen(at), b->memory);
	*expanded = done.text ? done.text : text;
	return 0;
}
