/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/help.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "engines/engines.h"
#include "jobfile/options.h"
#include "jobfile/unsupported_options.h"
#include "util/suggest.h"

/* As wide as fio's: who completes or looks for options cuts at the colon. */
enum { NAME_COLUMN = 24, LABEL_COLUMN = 20 };

static void print_choices(FILE *out, const struct option_choice *choices)
{
	const char *title = "valid values";

	for (const struct option_choice *c = choices; c && c->name; c++) {
		fprintf(out, "%*s: %-10s %s\n", LABEL_COLUMN, title, c->name, c->help);
		title = "";
	}
}

static void print_label(FILE *out, const char *label, const char *text)
{
	fprintf(out, "%*s: %s\n", LABEL_COLUMN, label, text);
}

static void print_range(FILE *out, const struct option *o)
{
	fprintf(out, "%*s: min=%" PRIu64, LABEL_COLUMN, "range", o->min);
	if (o->max)
		fprintf(out, ", max=%" PRIu64, o->max);
	fputc('\n', out);
}

static void print_option(FILE *out, const struct option *o)
{
	print_label(out, o->name, o->help);
	if (o->alias)
		print_label(out, "alias", o->alias);
	print_label(out, "type", o->type->words);
	print_label(out, "default", o->standard ? o->standard : "no default");
	if (o->min || o->max)
		print_range(out, o);
	print_choices(out, o->choices);
}

static void list_option(FILE *out, const struct option *o)
{
	fprintf(out, "%-*s: %s\n", NAME_COLUMN, o->name, o->help);
}

/* By any name that a job may have it; those of ioengines behind the others. */
static void list_all(FILE *out)
{
	for (const struct option *const *all = options_sorted(); *all; all++) {
		list_option(out, *all);
		if ((*all)->alias)
			fprintf(out, "%-*s: The same as %s.\n", NAME_COLUMN, (*all)->alias,
				(*all)->name);
	}
	for (const struct engine_ops *const *ops = engines_all; *ops; ops++) {
		for (const struct option *o = (*ops)->options; o && o->name; o++)
			fprintf(out, "%-*s: Of ioengine %s. %s\n", NAME_COLUMN, o->name,
				(*ops)->name, o->help);
	}
}

int help_options(FILE *out, const char *topic, struct err *err)
{
	const struct option *o;
	const char *close;

	if (!topic) {
		list_all(out);
		return 0;
	}
	o = options_find_any(topic);
	close = o ? NULL : option_suggest(topic);
	if (!o && unsupported_option(topic))
		return err_set(err, -EINVAL, "--cmdhelp: %.80s: " UNSUPPORTED_TEXT, topic);
	if (!o)
		return err_set(err, -EINVAL, "--cmdhelp: there is no option '%.80s'%s%s%s", topic,
			       close ? ", did you mean '" : "", close ? close : "",
			       close ? "'?" : "; --cmdhelp lists them");
	print_option(out, o);
	return 0;
}

static void print_engine(FILE *out, const struct engine_ops *ops)
{
	fprintf(out, "%s: %s\n", ops->name, ops->help);
	if (engine_is_sync(ops))
		fprintf(out, "Synchronous: iodepth is 1.\n");
	if (ops->options)
		fprintf(out, "Its own options:\n");
	for (const struct option *o = ops->options; o && o->name; o++)
		list_option(out, o);
}

static int engine_option_help(FILE *out, const struct engine_ops *ops, const char *name,
			      struct err *err)
{
	const struct option *o = option_find(ops->options, name);

	if (!o)
		return err_set(err, -EINVAL, "--enghelp: ioengine %s has no option '%.80s'; "
			       "--enghelp=%s lists them", ops->name, name, ops->name);
	print_option(out, o);
	return 0;
}

int help_engines(FILE *out, const char *topic, struct err *err)
{
	const size_t length = topic ? strcspn(topic, ",") : 0;
	struct suggestion s;

	suggestion_init(&s, topic ? topic : "");
	if (!topic)
		fprintf(out, "Available IO engines:\n");
	for (const struct engine_ops *const *ops = engines_all; *ops; ops++) {
		const char *name = (*ops)->name;

		suggestion_offer(&s, name);
		if (!topic) {
			fprintf(out, "\t%s\n", name);
		} else if (strlen(name) == length && !strncmp(name, topic, length)) {
			if (topic[length])
				return engine_option_help(out, *ops, topic + length + 1, err);
			print_engine(out, *ops);
			return 0;
		}
	}
	return topic ? err_set(err, -EINVAL, "--enghelp: there is no engine '%.80s'%s%s%s", topic,
			       s.best ? ", did you mean '" : "", s.best ? s.best : "",
			       s.best ? "'?" : "; --enghelp lists them") : 0;
}

static void reference_row(FILE *out, const struct option *o)
{
	fprintf(out, "| `%s`", o->name);
	if (o->alias)
		fprintf(out, ", `%s`", o->alias);
	fprintf(out, " | %s", o->type->words);
	for (const struct option_choice *c = o->choices; c && c->name; c++)
		fprintf(out, "%s `%s`", c == o->choices ? "" : ",", c->name);
	if (o->standard)
		fprintf(out, " | `%s` | ", o->standard);
	else
		fprintf(out, " | | ");
	fprintf(out, "%s |\n", o->help);
}

static void reference_category(FILE *out, const struct option_category *category)
{
	fprintf(out, "\n## %s\n\n| option | value | default | what it does |\n"
		"|---|---|---|---|\n", category->title);
	for (const struct option *o = category->rows; o->name; o++)
		reference_row(out, o);
}

void help_reference(FILE *out)
{
	fprintf(out, "# Job options\n\n"
		"<!-- Generated from the option table by `make -C native docs`. -->\n\n"
		"Names, aliases and defaults are fio's. Sizes take `k m g t p` (powers of 1024) "
		"and `KiB MiB …`; times take `us ms s m h d` and count in seconds without a "
		"unit, where nothing else is said; a value may be an expression in "
		"parentheses, and may hold `${ENVIRONMENT}`, `$pagesize`, `$mb_memory` and "
		"`$ncpus`.\n");
	for (const struct option_category *const *c = option_categories; *c; c++)
		reference_category(out, *c);
}
