/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cmdline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/textfile.h"
#include "engines/engines.h"
#include "jobfile/options.h"
#include "jobfile/unsupported_options.h"
#include "util/suggest.h"

enum { WORD_MAX = 80, NAMES_MAX = 400 };

/* A word of the command line means a command or a job option. */
struct meaning {
	const struct command *command;
	const struct option *option;
};

struct arguments {
	char **at;			/* the next one; a NULL ends them */
	bool only_files;		/* after "--" */
};

static struct meaning find_exact(const char *word)
{
	struct meaning m = { NULL, NULL };

	for (const struct command *c = commands_all; c->name; c++)
		if (!strcmp(c->name, word))
			m.command = c;
	if (!m.command)
		m.option = options_find_any(word);
	return m;
}

/* All meanings a prefix could have; names them in text, separated by ", ". */
struct matches {
	const char *prefix;
	struct meaning meaning;
	unsigned count;
	char text[NAMES_MAX];
	size_t used;
};

/* Several ioengines have options of one name: what it means is found by the ioengine. */
static bool is_named(const struct matches *m, const char *name)
{
	const size_t length = strlen(name);

	for (const char *at = strstr(m->text, "--"); at; at = strstr(at + 2, "--"))
		if (!strncmp(at + 2, name, length) && (!at[2 + length] || at[2 + length] == ','))
			return true;
	return false;
}

static void match(struct matches *m, const char *name, const struct command *command,
		  const struct option *option)
{
	int n;

	if (!name || strncmp(name, m->prefix, strlen(m->prefix)))
		return;
	if (m->count && m->meaning.command == command && m->meaning.option == option)
		return;				/* an alias of what matched just now */
	if (is_named(m, name))
		return;
	m->meaning = (struct meaning){ command, option };
	m->count++;
	n = snprintf(m->text + m->used, sizeof(m->text) - m->used, "%s--%s",
		     m->used ? ", " : "", name);
	if (n > 0 && (size_t)n < sizeof(m->text) - m->used)
		m->used += (size_t)n;
	else
		m->text[m->used] = '\0';
}

static void match_option(struct matches *m, const struct option *o)
{
	if (o->whole)
		return;
	match(m, o->name, NULL, o);
	match(m, o->alias, NULL, o);
}

static int unknown_word(const char *word, struct err *err)
{
	struct suggestion s;
	const char *close;

	if (unsupported_option(word))
		return err_set(err, -EINVAL, "--%.80s: " UNSUPPORTED_TEXT, word);
	suggestion_init(&s, word);
	for (const struct command *c = commands_all; c->name; c++)
		suggestion_offer(&s, c->name);
	close = s.best;
	if (option_suggest(word)) {
		suggestion_offer(&s, option_suggest(word));
		close = s.best;
	}
	return err_set(err, -EINVAL, "unknown option --%.80s%s%s%s", word,
		       close ? ", did you mean --" : "", close ? close : "",
		       close ? "?" : "; --help and --cmdhelp list what there is");
}

static int find_meaning(const char *word, struct meaning *meaning, struct err *err)
{
	struct matches m = { .prefix = word };

	*meaning = find_exact(word);
	if (meaning->command || meaning->option)
		return 0;
	for (const struct command *c = commands_all; c->name; c++)
		match(&m, c->name, c, NULL);
	for (const struct option *const *o = options_sorted(); *o; o++)
		match_option(&m, *o);
	for (const struct engine_ops *const *ops = engines_all; *ops; ops++)
		for (const struct option *o = (*ops)->options; o && o->name; o++)
			match_option(&m, o);
	if (!*word || !m.count || unsupported_option(word))
		return unknown_word(word, err);
	if (m.count > 1)
		return err_set(err, -EINVAL, "--%.80s could mean %s; write more of it", word,
			       m.text);
	*meaning = m.meaning;
	return 0;
}

/* "--direct --size=1m": the next word is no value when it begins with two dashes. */
static const char *next_value(struct arguments *left)
{
	if (!*left->at || !strncmp(*left->at, "--", 2))
		return NULL;
	return *left->at++;
}

/* A word that could only be meant for what stands before it. */
static bool is_no_file(const char *word)
{
	return word && *word != '-' && access(word, F_OK);
}

static int take_command(struct cmdline *c, const struct command *command, const char *value,
			struct arguments *left, struct err *err)
{
	if (!command->value && value)
		return err_set(err, -EINVAL, "--%s takes no value", command->name);
	if (command->value && !command->optional && !value)
		value = next_value(left);
	if (command->value && !command->optional && !value)
		return err_set(err, -EINVAL, "--%s needs a value: --%s=%s", command->name,
			       command->name, command->value);
	if (command->optional && !value && is_no_file(*left->at))
		return err_set(err, -EINVAL, "--%s: there is no job file '%.80s'; a value stands "
			       "behind '=': --%s=%.80s", command->name, *left->at, command->name,
			       *left->at);
	return command->apply(c, value, err);
}

/* A word of the profile; its value is a number of whatever unit, or a name. */
static int take_profile_word(struct cmdline *c, const char *option, const char *unit,
			     const char *value, struct arguments *left, struct err *err)
{
	char text[WORD_MAX];

	value = value ? value : next_value(left);
	if (!value || !*value)
		return err_set(err, -EINVAL, "--profile: a value is missing behind its word for %s",
			       option);
	if (!*unit)
		return job_builder_option(c->builder, option, value, err);
	if (value[strspn(value, "0123456789")] || strlen(value) >= sizeof(text) - 2)
		return err_set(err, -EINVAL, "--profile: %s is a number of MiB, not '%.40s'",
			       option, value);
	snprintf(text, sizeof(text), "%s%s", value, unit);
	return job_builder_option(c->builder, option, text, err);
}

static int take_option(struct cmdline *c, const struct option *option, const char *key,
		       const char *value, struct arguments *left, struct err *err)
{
	const bool by_alias = option->alias && !strcmp(key, option->alias);
	int code = 0;

	c->has_options = true;
	if (c->profile && !strcmp(option->name, "name"))
		return err_set(err, -EINVAL, "--name: a profile has jobs of its own");
	if (!value && !option->type->only_after_equals)
		value = next_value(left);
	if (!strcmp(option->name, "name"))
		code = job_builder_section(c->builder, value ? value : "", err);
	return code ? code : job_builder_option(c->builder, by_alias ? key : option->name, value,
						err);
}

/* An option of an ioengine that is not here: of that job, which says what is wrong with it. */
static int take_absent(struct cmdline *c, const char *key, const char *value,
		       struct arguments *left, struct err *err)
{
	c->has_options = true;
	return job_builder_option(c->builder, key, value ? value : next_value(left), err);
}

static int take_word(struct cmdline *c, const char *word, struct arguments *left,
		     struct err *err)
{
	const char *name = word + (word[1] == '-' ? 2 : 1);
	const char *equals = strchr(name, '=');
	const size_t length = equals ? (size_t)(equals - name) : strlen(name);
	struct meaning meaning = { NULL, NULL };
	const char *unit, *own;
	char key[WORD_MAX + 1];
	int code;

	snprintf(key, sizeof(key), "%.*s", (int)(length < WORD_MAX ? length : WORD_MAX), name);
	own = c->profile ? profile_option(c->profile, key, &unit) : NULL;
	if (own)
		return take_profile_word(c, own, unit, equals ? equals + 1 : NULL, left, err);
	if (unsupported_engine_option(key))
		return take_absent(c, key, equals ? equals + 1 : NULL, left, err);
	code = find_meaning(key, &meaning, err);
	if (code)
		return code;
	return meaning.command
		? take_command(c, meaning.command, equals ? equals + 1 : NULL, left, err)
		: take_option(c, meaning.option, key, equals ? equals + 1 : NULL, left, err);
}

/* The two that fio has with one letter. */
static char *long_word(char *word)
{
	static char help[] = "--help", version[] = "--version";

	if (!strcmp(word, "-h"))
		return help;
	return strcmp(word, "-v") ? word : version;
}

static bool is_file(const struct arguments *left, const char *word)
{
	return left->only_files || word[0] != '-' || !word[1];
}

/* Options are taken first and files after them, wherever they stand: options before
 * the first --name are the defaults of the files' jobs, too. The files' names are kept
 * in argv itself, in the room that the words taken leave. */
static int take_words(struct cmdline *c, char **argv, struct err *err)
{
	struct arguments left = { .at = argv };
	size_t files = 0;
	int code = 0;

	while (!code && *left.at) {
		char *word = *left.at++;

		if (!left.only_files && !strcmp(word, "--"))
			left.only_files = true;
		else if (is_file(&left, word))
			argv[files++] = word;
		else
			code = take_word(c, long_word(word), &left, err);
	}
	if (!code && c->profile && files)
		code = err_set(err, -EINVAL, "%s: a profile has jobs of its own: leave the job "
			       "file out", argv[0]);
	if (!code && c->profile)
		code = profile_jobs(c->profile, c->builder, err);
	for (size_t i = 0; i < files && !code; i++)
		code = textfile_add_jobs(c->builder, argv[i], err);
	return code;
}

int cmdline_parse(struct cmdline *c, int argc, char **argv, struct err *err)
{
	*c = (struct cmdline){ .formats = FORMAT_NORMAL, .status_fd = -1, .terse_version = 3,
			       .builder = job_builder_new(&textfile_source) };
	return argc ? take_words(c, argv + 1, err) : 0;
}

void cmdline_release(struct cmdline *c)
{
	free(c->expected);
	job_builder_free(c->builder);
}
