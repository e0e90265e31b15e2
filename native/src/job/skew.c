/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "job/distribution.h"

static const struct skew_word {
	const char *name;
	enum skew_kind kind;
	double standard, most;
	const char *bounds;
} words[] = {
	{ "zipf", SKEW_ZIPF, 1.1, 10, "from 0 to 10" },
	{ "pareto", SKEW_PARETO, 0.2, 1, "above 0 and below 1" },
	{ "normal", SKEW_NORMAL, 10, 100, "from 0 to below 100" },
	{ "gauss", SKEW_NORMAL, 10, 100, "from 0 to below 100" },
};

static const struct skew_word *word_of(const char *text, size_t length)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strlen(words[i].name) == length && !memcmp(words[i].name, text, length))
			return &words[i];
	}
	return NULL;
}

/* Behind "zipf:"; the number goes on to *end. */
static int parse_shape(const char *text, const struct skew_word *word, double *shape,
		       const char **end, struct err *err)
{
	char *past;
	bool fits;

	*shape = strtod(text, &past);
	*end = past;
	if (past == text || (*past && *past != ':'))
		return err_set(err, -EINVAL, "'%.80s' is no number", text);
	fits = *shape >= 0 && *shape <= word->most;
	if (word->kind == SKEW_PARETO)
		fits = fits && *shape > 0 && *shape < word->most;
	if (word->kind == SKEW_NORMAL)
		fits = fits && *shape < word->most;
	if (!fits)
		return err_set(err, -EINVAL, "%s:%g is not %s", word->name, *shape, word->bounds);
	return 0;
}

bool skew_is(const char *text)
{
	return word_of(text, strcspn(text, ":"));
}

int skew_parse(const char *text, struct skew *s, struct err *err)
{
	const size_t length = strcspn(text, ":");
	const struct skew_word *word = word_of(text, length);
	const char *at = text + length;
	char *end;
	int code;

	*s = (struct skew){ .kind = word->kind, .shape = word->standard, .centre = -1 };
	if (!*at)
		return 0;
	code = parse_shape(at + 1, word, &s->shape, &at, err);
	if (code || !*at)
		return code;
	s->centre = strtod(at + 1, &end);
	if (end == at + 1 || *end || !(s->centre >= 0 && s->centre <= 1))
		return err_set(err, -EINVAL, "'%.80s' is no place from 0 to 1", at + 1);
	return 0;
}
