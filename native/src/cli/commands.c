/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmdline.h"
#include "cli/commands_parts.h"
#include "cli/textfile.h"

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
	job_builder_only_read(c->builder);
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
			{ "json+", FORMAT_JSON_PLUS }, { "terse", FORMAT_TERSE } };

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

		if (!bit)
			return err_set(err, -EINVAL, "--output-format: '%.*s' is not one of "
				       "normal, terse, json, json+",
				       (int)(length < 40 ? length : 40), at);
		c->formats |= bit;
		at = at[length] ? at + length + 1 : NULL;
	}
	return 0;
}

static int apply_minimal(struct cmdline *c, const char *value, struct err *err)
{
	(void)value, (void)err;
	c->formats = FORMAT_TERSE;
	return 0;
}

static int apply_append_terse(struct cmdline *c, const char *value, struct err *err)
{
	(void)value, (void)err;
	c->formats |= FORMAT_TERSE;
	return 0;
}

static int apply_terse_version(struct cmdline *c, const char *value, struct err *err)
{
	if (strlen(value) != 1 || *value < '2' || *value > '5')
		return err_set(err, -EINVAL, "--terse-version: '%.40s' is not one of 2, 3, 4, 5",
			       value);
	c->terse_version = *value - '0';
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

const struct command commands_all[] = {
	{ "help", NULL, false, apply_help, "Show this page" },
	{ "version", NULL, false, apply_version, "Show name and version" },
	{ "cmdhelp", "option", true, apply_cmdhelp, "Explain a job option, or list all" },
	{ "enghelp", "engine[,option]", true, apply_enghelp,
	  "Explain an I/O engine, or list all" },
	{ "option-reference", NULL, false, apply_reference, "All job options, as Markdown" },
	{ "option-table", NULL, false, apply_table, "All job options and I/O engines, as JSON" },
	{ "parse-only", NULL, false, apply_parse_only, "Check the jobs, start no I/O" },
	{ "showcmd", "job file", true, apply_showcmd, "Print the jobs as a command line" },
	{ "section", "job", false, apply_section, "Run only this job; may be repeated" },
	{ "readonly", NULL, false, apply_readonly,
	  "Refuse every job that writes, trims or deletes" },
	{ "literal", NULL, false, apply_literal,
	  "Take the job files that follow literally: no variables, no include" },
	{ "expect", "target", false, apply_expect,
	  "Refuse a target that is not this one: KIND DEVICE INODE RDEV DISKSEQ SIZE PATH; "
	  "may be repeated" },
	{ "output", "file", false, apply_output, "Write results here instead of stdout" },
	{ "output-format", "list", false, apply_output_format,
	  "One or more of normal, terse, json, json+ (with histograms)" },
	{ "minimal", NULL, false, apply_minimal, "The same as --output-format=terse" },
	{ "append-terse", NULL, false, apply_append_terse, "Terse lines beside other formats" },
	{ "terse-version", "number", false, apply_terse_version,
	  "Which terse lines: 2, 3 (default), 4, 5" },
	{ "status-fd", "number", false, apply_status_fd,
	  "Write progress to this open file descriptor, a JSON object a line" },
	{ "clock", "reads", false, apply_clock,
	  "Read the clock per-batch of completions (default) or per-io" },
	{ "eta", "when", false, apply_eta,
	  "Live line on the terminal: auto (default), always, never" },
	{ "eta-interval", "time", false, apply_eta_interval,
	  "Time between changes of the live line: seconds, or with a unit; 250ms at least" },
	{ "eta-newline", "time", false, apply_eta_newline,
	  "Keep the live line as it is, and begin another, each time this has passed" },
	{ "status-interval", "time", false, apply_status_interval,
	  "Whole results so far, each time this has passed; JSON is then a document a line" },
	{ "debug", "list", false, apply_debug,
	  "Tell more of: parse, job (what else fio has is accepted); help lists all" },
	{ "warnings-fatal", NULL, false, apply_warnings_fatal,
	  "Refuse jobs that ask for what does nothing" },
	{ "aux-path", "folder", false, apply_aux_path, "Folder of verify state" },
	{ "idle-prof", "what", false, apply_idle_prof,
	  "How idle the CPUs were: system, percpu; calibrate: the unit of work alone" },
	{ "bandwidth-log", NULL, false, apply_bandwidth_log,
	  "Log what all jobs move together: agg-read_bw.log, agg-write_bw.log, agg-trim_bw.log" },
	{ "trigger-file", "file", false, apply_trigger_file,
	  "When this file is there: end all jobs, save their state, run --trigger" },
	{ "trigger-timeout", "time", false, apply_trigger_timeout,
	  "The same when this time has passed: seconds, or with a unit" },
	{ "trigger", "command", false, apply_trigger, "What runs then, in a shell" },
	{ "crctest", "list", true, apply_crctest,
	  "How fast the checksums of verify= are; help lists them" },
	{ "inflate-log", "file", false, apply_inflate_log,
	  "Print a log that log_store_compressed has left" },
	{ "profile", "name", false, apply_profile,
	  "Run the jobs of a profile: tiobench; --cmdhelp behind it lists its words" },
	{ "cpuclock-test", NULL, false, apply_cpuclock_test,
	  "Whether the CPUs' time stamp counters keep one time" },
	{ "max-jobs", "number", false, apply_max_jobs,
	  "Accepted, and does nothing: there is no limit to raise" },
	{ "alloc-size", "KiB", false, apply_alloc_size,
	  "Accepted, and does nothing: memory is taken as it is needed" },
	{ .name = NULL },
};
