/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmdline.h"
#include "cli/eta.h"
#include "cli/usage.h"
#include "confine/confine.h"
#include "jobfile/help.h"
#include "output/output.h"
#include "output/output_file.h"
#include "run/run.h"
#include "util/version.h"

/* The exit statuses, all of them. fio's own, the number of failed jobs modulo 256,
 * can be 0 for a failure. --confine has its own: see confine/confine.h. */
enum { EXIT_OK, EXIT_JOB_FAILED, EXIT_USAGE, EXIT_REFUSED };

static void complain(const char *text)
{
	fprintf(stderr, "%s: %s\n", IOGATE_ENGINE_NAME, text);
}

/* First signal: stop and report what there is. Second: end at once. */
static void on_signal(int number)
{
	static volatile sig_atomic_t signals;

	if (!signals) {
		signals = 1;
		run_request_stop();
		return;
	}
	signal(number, SIG_DFL);
	raise(number);
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* Everything one run needs from start to end. */
struct session {
	const struct cmdline *cmdline;
	struct job_list jobs;
	struct output_file file;
	struct eta eta;
	FILE *talk;			/* where text that is no result goes */
};

static void say(void *context, const char *text)
{
	const struct session *s = context;

	fprintf(s->talk, "%s\n", text);
	fflush(s->talk);
}

static bool wants_json(const struct cmdline *c)
{
	return c->formats & (FORMAT_JSON | FORMAT_JSON_PLUS);
}

static bool wants_eta(const struct session *s)
{
	if (s->cmdline->eta == ETA_AUTO)
		return isatty(fileno(s->talk));
	return s->cmdline->eta == ETA_ALWAYS;
}

static void write_results(struct session *s, const struct result *result)
{
	const unsigned formats = s->cmdline->formats;

	if (formats & FORMAT_JSON_PLUS)
		output_json(s->file.stream, result, &s->jobs, true);
	else if (formats & FORMAT_JSON)
		output_json(s->file.stream, result, &s->jobs, false);
	if (formats & FORMAT_NORMAL)
		output_normal(s->file.stream, result, &s->jobs);
}

static int status_of(const struct result *result)
{
	int status = result->interrupted ? EXIT_JOB_FAILED : EXIT_OK;

	for (size_t i = 0; i < result->rows_count; i++) {
		if (result->rows[i].refused)
			return EXIT_REFUSED;
		if (result->rows[i].error)
			status = EXIT_JOB_FAILED;
	}
	return status;
}

static int run_and_write(struct session *s, struct err *err)
{
	struct run_options options = { .readonly = s->cmdline->readonly,
				       .expected = s->cmdline->expected,
				       .clock_per_io = s->cmdline->clock_per_io,
				       .status_fd = s->cmdline->status_fd,
				       .say = say, .say_context = s };
	struct result result;
	int code = 0, status;

	if (wants_eta(s))
		code = eta_start(&s->eta, &s->jobs, options.status_fd, fileno(s->talk), err);
	if (s->eta.started)
		options.status_fd = s->eta.status_fd;
	fflush(NULL);			/* so that no forked job repeats what is buffered */
	code = code ? code : run_jobs(&s->jobs, &options, &result, err);
	eta_stop(&s->eta);
	if (code)
		return err->refused ? EXIT_REFUSED : EXIT_JOB_FAILED;
	write_results(s, &result);
	status = status_of(&result);
	result_release(&result);
	return output_file_finish(&s->file, err) ? EXIT_JOB_FAILED : status;
}

static int run(struct session *s, struct err *err)
{
	const struct cmdline *c = s->cmdline;
	int status;

	if (output_file_open(&s->file, c->output, err))
		return EXIT_USAGE;
	s->talk = wants_json(c) || c->output ? stderr : stdout;
	if (c->formats & FORMAT_NORMAL) {
		output_normal_jobs(s->file.stream, &s->jobs);
		fflush(s->file.stream);
	}
	catch_signals();
	status = run_and_write(s, err);
	output_file_discard(&s->file);
	return status;
}

static int act_on_jobs(const struct cmdline *c, struct err *err)
{
	struct session s = { .cmdline = c };
	int status = EXIT_OK;

	if (job_builder_finish(c->builder, &s.jobs, err))
		return EXIT_USAGE;
	for (size_t i = 0; i < s.jobs.warnings_count; i++)
		fprintf(stderr, "%s: warning: %s\n", IOGATE_ENGINE_NAME, s.jobs.warnings[i]);
	if (c->action == ACTION_SHOWCMD)
		help_showcmd(stdout, &s.jobs);
	else if (c->action == ACTION_RUN)
		status = run(&s, err);
	job_list_release(&s.jobs);
	return status;
}

static int act(const struct cmdline *c, struct err *err)
{
	switch (c->action) {
	case ACTION_HELP:
		usage_print(stdout);
		return EXIT_OK;
	case ACTION_VERSION:
		puts(IOGATE_ENGINE_NAME "-" IOGATE_ENGINE_VERSION);
		return EXIT_OK;
	case ACTION_CMDHELP:
		return help_options(stdout, c->topic, err) ? EXIT_USAGE : EXIT_OK;
	case ACTION_ENGHELP:
		return help_engines(stdout, c->topic, err) ? EXIT_USAGE : EXIT_OK;
	case ACTION_OPTION_REFERENCE:
		help_reference(stdout);
		return EXIT_OK;
	case ACTION_OPTION_TABLE:
		help_json(stdout);
		return EXIT_OK;
	case ACTION_RUN:
	case ACTION_PARSE_ONLY:
	case ACTION_SHOWCMD:
		break;
	}
	return act_on_jobs(c, err);
}

static int confine(int argc, char **argv)
{
	struct err err = { 0 };
	const int status = confine_main(argc, argv, &err);

	if (err.code)
		fprintf(stderr, "%s: confine: %s\n", IOGATE_ENGINE_NAME, err.text);
	return status;
}

int main(int argc, char **argv)
{
	struct cmdline cmdline;
	struct err err = { 0 };
	int status = EXIT_USAGE;

	if (confine_is_meant(argc, argv))
		return confine(argc, argv);
	if (!cmdline_parse(&cmdline, argc, argv, &err))
		status = act(&cmdline, &err);
	cmdline_release(&cmdline);
	if (err.code)
		complain(err.text);
	if (fflush(stdout) && !status) {
		complain("cannot write to stdout");
		status = EXIT_JOB_FAILED;
	}
	return status;
}
