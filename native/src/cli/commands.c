/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmdline.h"
#include "cli/textfile.h"
#include "jobfile/unsupported_options.h"

static int set_action(struct cmdline *c, enum action action, const char *topic)
{
	c->action = action;
	c->topic = topic;
	return 0;
}

static int apply_help(struct cmdline *c, const char *value, struct err *err)
{
	(void)value, (void)err;
	return set_action(c, ACTION_HELP, NULL);
}

static int apply_version(struct cmdline *c, const char *value, struct err *err)
{
	(void)value, (void)err;
	return set_action(c, ACTION_VERSION, NULL);
}

static int apply_cmdhelp(struct cmdline *c, const char *value, struct err *err)
{
	(void)err;
	return set_action(c, ACTION_CMDHELP, value && strcmp(value, "all") ? value : NULL);
}

static int apply_enghelp(struct cmdline *c, const char *value, struct err *err)
{
	(void)err;
	return set_action(c, ACTION_ENGHELP, value);
}

static int apply_reference(struct cmdline *c, const char *value, struct err *err)
{
	(void)value, (void)err;
	return set_action(c, ACTION_OPTION_REFERENCE, NULL);
}

static int apply_table(struct cmdline *c, const char *value, struct err *err)
{
	(void)value, (void)err;
	return set_action(c, ACTION_OPTION_TABLE, NULL);
}

static int apply_parse_only(struct cmdline *c, const char *value, struct err *err)
{
	(void)value, (void)err;
	return set_action(c, ACTION_PARSE_ONLY, NULL);
}

static int apply_showcmd(struct cmdline *c, const char *value, struct err *err)
{
	set_action(c, ACTION_SHOWCMD, NULL);
	return value ? textfile_add_jobs(c->builder, value, err) : 0;
}

static int apply_readonly(struct cmdline *c, const char *value, struct err *err)
{
	(void)value, (void)err;
	c->readonly = true;
	return 0;
}

static int apply_literal(struct cmdline *c, const char *value, struct err *err)
{
	(void)value, (void)err;
	job_builder_literal(c->builder);
	return 0;
}

static int apply_expect(struct cmdline *c, const char *value, struct err *err)
{
	if (!c->expected)
		c->expected = calloc(1, sizeof(*c->expected));
	if (!c->expected)
		return err_set(err, -ENOMEM, "--expect: no memory");
	return expected_add(c->expected, value, err);
}

static int apply_output(struct cmdline *c, const char *value, struct err *err)
{
	if (!*value)
		return err_set(err, -EINVAL, "--output: the file's name is missing");
	c->output = value;
	return 0;
}

static unsigned format_bit(const char *name, size_t length)
{
	static const struct {
		const char *name;
		unsigned bit;
	} formats[] = { { "normal", FORMAT_NORMAL }, { "json", FORMAT_JSON },
			{ "json+", FORMAT_JSON_PLUS } };

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (strlen(formats[i].name) == length && !memcmp(formats[i].name, name, length))
			return formats[i].bit;
	return 0;
}

static int apply_output_format(struct cmdline *c, const char *value, struct err *err)
{
	c->formats = 0;
	for (const char *at = value; at;) {
		const size_t length = strcspn(at, ",");
		const unsigned bit = format_bit(at, length);

		if (length == 5 && !memcmp(at, "terse", 5))
			return err_set(err, -EINVAL, "--output-format=terse: " UNSUPPORTED_TEXT
				       "; json has the same numbers");
		if (!bit)
			return err_set(err, -EINVAL, "--output-format: '%.*s' is not one of "
				       "normal, json, json+", (int)(length < 40 ? length : 40), at);
		c->formats |= bit;
		at = at[length] ? at + length + 1 : NULL;
	}
	return 0;
}

static int apply_status_fd(struct cmdline *c, const char *value, struct err *err)
{
	char *end;
	const long fd = strtol(value, &end, 10);

	if (!*value || *end || fd < 0 || fd > 65535)
		return err_set(err, -EINVAL, "--status-fd: '%.40s' is not a file descriptor",
			       value);
	if (fcntl((int)fd, F_GETFD) < 0)
		return err_set(err, -EINVAL, "--status-fd: file descriptor %ld is not open; "
			       "open it, as in %ld>status.jsonl", fd, fd);
	c->status_fd = (int)fd;
	return 0;
}

static int apply_clock(struct cmdline *c, const char *value, struct err *err)
{
	c->clock_per_io = !strcmp(value, "per-io");
	if (c->clock_per_io || !strcmp(value, "per-batch"))
		return 0;
	return err_set(err, -EINVAL, "--clock: '%.40s' is not one of per-batch, per-io", value);
}

static int apply_section(struct cmdline *c, const char *value, struct err *err)
{
	(void)err;
	job_builder_choose(c->builder, value);
	return 0;
}

static int apply_eta(struct cmdline *c, const char *value, struct err *err)
{
	static const char *const names[] = { [ETA_AUTO] = "auto", [ETA_ALWAYS] = "always",
					     [ETA_NEVER] = "never" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(value, names[i])) {
			c->eta = (enum eta_when)i;
			return 0;
		}
	}
	return err_set(err, -EINVAL, "--eta: '%.40s' is not one of auto, always, never", value);
}

const struct command commands_all[] = {
	{ "help", NULL, false, apply_help, "This page" },
	{ "version", NULL, false, apply_version, "Name and version" },
	{ "cmdhelp", "option", true, apply_cmdhelp, "Explain a job option, or list all" },
	{ "enghelp", "engine[,option]", true, apply_enghelp,
	  "Explain an I/O engine, or list all" },
	{ "option-reference", NULL, false, apply_reference, "All job options, as Markdown" },
	{ "option-table", NULL, false, apply_table, "All job options and I/O engines, as JSON" },
	{ "parse-only", NULL, false, apply_parse_only, "Check the jobs, start no I/O" },
	{ "showcmd", "job file", true, apply_showcmd, "Print the jobs as a command line" },
	{ "section", "job", false, apply_section, "Run only this job; may be repeated" },
	{ "readonly", NULL, false, apply_readonly, "Refuse every job that would write" },
	{ "literal", NULL, false, apply_literal,
	  "Take job files as they are from here on: no variables, no include" },
	{ "expect", "target", false, apply_expect,
	  "What must stand there, KIND DEVICE INODE RDEV DISKSEQ SIZE PATH; may be repeated" },
	{ "output", "file", false, apply_output, "Write results here instead of stdout" },
	{ "output-format", "list", false, apply_output_format,
	  "One or more of normal, json, json+ (with histograms)" },
	{ "status-fd", "number", false, apply_status_fd,
	  "Write progress to this open file descriptor, a JSON object a line" },
	{ "clock", "reads", false, apply_clock,
	  "Read the clock per-batch of completions (default) or per-io" },
	{ "eta", "when", false, apply_eta,
	  "Live line on the terminal: auto (default), always, never" },
	{ .name = NULL },
};
