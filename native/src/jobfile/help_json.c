/* SPDX-License-Identifier: Apache-2.0 */
#include "engines/engines.h"
#include "jobfile/help.h"
#include "jobfile/options.h"
#include "util/json.h"

static void write_choices(struct json *j, const struct option_choice *choices)
{
	if (!choices)
		return;
	json_array_begin(j, "choices");
	for (const struct option_choice *c = choices; c->name; c++)
		json_text(j, NULL, c->name);
	json_array_end(j);
}

static void write_option(struct json *j, const struct option *o)
{
	json_object_begin(j, NULL);
	json_text(j, "name", o->name);
	if (o->alias)
		json_text(j, "alias", o->alias);
	json_text(j, "type", o->type->words);
	if (o->standard)
		json_text(j, "default", o->standard);
	if (o->min)
		json_uint(j, "least", o->min);
	if (o->max)
		json_uint(j, "most", o->max);
	if (o->unit_ns)
		json_uint(j, "unit_ns", o->unit_ns);
	write_choices(j, o->choices);
	json_text(j, "help", o->help);
	json_object_end(j);
}

static void write_engine(struct json *j, const struct engine_ops *ops)
{
	json_object_begin(j, NULL);
	json_text(j, "name", ops->name);
	json_text(j, "help", ops->help);
	json_bool(j, "synchronous", engine_is_sync(ops));
	json_list_begin(j, "options");
	for (const struct option *o = ops->options; o && o->name; o++)
		write_option(j, o);
	json_list_end(j);
	json_object_end(j);
}

void help_json(FILE *out)
{
	struct json j;

	json_init(&j, out);
	json_object_begin(&j, NULL);
	json_list_begin(&j, "options");
	for (const struct option *const *o = options_sorted(); *o; o++)
		write_option(&j, *o);
	json_list_end(&j);
	json_list_begin(&j, "ioengines");
	for (const struct engine_ops *const *ops = engines_all; *ops; ops++)
		write_engine(&j, *ops);
	json_list_end(&j);
	json_object_end(&j);
	putc('\n', out);
}
