/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "engines/engines.h"
#include "jobfile/options_parts.h"
#include "util/suggest.h"

static int engine_error(const struct option_destination *to, const char *text)
{
	struct suggestion s;

	suggestion_init(&s, text);
	for (const struct engine_ops *const *ops = engines_all; *ops; ops++)
		suggestion_offer(&s, (*ops)->name);
	return err_set(to->err, -EINVAL, "there is no engine '%.80s'%s%s%s", text,
		       s.best ? ", did you mean '" : "", s.best ? s.best : "",
		       s.best ? "'?" : "; --enghelp lists them");
}

static int parse_engine(const struct option_destination *to, const char *text)
{
	const struct engine_ops *ops = engine_find(text);

	if (!ops)
		return engine_error(to, text);
	memcpy(to->field, &ops, sizeof(void *));
	return 0;
}

const struct option_type type_engine = {
	.words = "engine",
	.width = sizeof(struct engine_ops *),
	.parse = parse_engine,
};

static const struct option rows[] = {
	{ "ioengine", NULL, &type_engine, JOB(ops), "psync",
	  .help = "How I/O is issued; --enghelp lists the engines." },
	{ .name = NULL },
};

const struct option_category options_engine = { "I/O engine", rows };
