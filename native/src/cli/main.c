/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmdline.h"
#include "cli/debug.h"
#include "cli/eta.h"
#include "cli/self_tests.h"
#include "cli/usage.h"
#include "command/command.h"
#include "confine/confine.h"
#include "jobfile/help.h"
#include "logs/log_inflate.h"
#include "output/output.h"
#include "output/output_file.h"
#include "run/run.h"
#include "util/streams.h"
#include "util/version.h"

/* The exit statuses, all of them. fio's own, the number of failed jobs modulo 256,
 * can be 0 for a failure. --confine and --meter have their
 * own: see confine/confine.h and command/command.h. */
enum { EXIT_OK, EXIT_JOB_FAILED, EXIT_USAGE, EXIT_REFUSED };
enum { ETA_USUAL_MS = 500 };

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

/* Who asks all processes of that name asks the workers, too, whose calls go on. */
static void on_look(int number)
{
	(void)number;
	run_request_look();
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct sigaction looks = { .sa_handler = on_look, .sa_flags = SA_RESTART };

	sigemptyset(&action.sa_mask);
	sigemptyset(&looks.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGUSR1, &looks, NULL);
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

/* Results for programs, on stdout: what else is told must not stand among them. */
static bool stands_alone(const struct cmdline *c)
{
	return !c->output && !(c->formats & FORMAT_NORMAL);
}

static void say(void *context, const char *text)
{
	const struct session *s = context;

	if (stands_alone(s->cmdline))
		return;
	fprintf(s->talk, "%s\n", text);
	fflush(s->talk);
}

static void warn(void *context, const char *text)
{
	(void)context;
	fprintf(stderr, "%s\n", text);
}

static bool wants_eta(const struct session *s)
{
	if (s->cmdline->eta == ETA_AUTO)
		return isatty(fileno(s->talk));
	return s->cmdline->eta == ETA_ALWAYS;
}

static void write_results(struct session *s, FILE *stream, const struct result *result)
{
	const unsigned formats = s->cmdline->formats;

	if (formats & FORMAT_TERSE)
		output_terse(stream, result, s->cmdline->terse_version);
	if (formats & FORMAT_JSON_PLUS)
		output_json(stream, result, &s->jobs, true);
	else if (formats & FORMAT_JSON)
		output_json(stream, result, &s->jobs, false);
	if (formats & FORMAT_NORMAL)
		output_normal(stream, result, &s->jobs);
}

/* Whoever reads it has a whole result at once. What a signal asks for is for a person who is
 * there: a file that is to have one result keeps to that. */
static void look(void *context, const struct result *so_far)
{
	struct session *s = context;
	const bool grows = s->cmdline->status_interval_ns;
	FILE *stream = s->cmdline->output && !grows ? stdout : s->file.stream;

	write_results(s, stream, so_far);
	fflush(stream);
}

static int start_eta(struct session *s, struct run_options *options, struct err *err)
{
	const struct cmdline *c = s->cmdline;
	int code;

	s->eta = (struct eta){ .interval_ns = c->eta_interval_ns, .newline_ns = c->eta_newline_ns };
	code = eta_start(&s->eta, &s->jobs, options->status_fd, fileno(s->talk), err);
	if (code)
		return code;
	options->status_fd = s->eta.status_fd;
	if (c->eta_interval_ns && c->eta_interval_ns < ETA_USUAL_MS * 1000000ull)
		options->status_interval_ms = (uint32_t)(c->eta_interval_ns / 1000000);
	return 0;
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
				       .say = say, .warn = warn, .say_context = s,
				       .look = look,
				       .idle_profile = s->cmdline->idle_profile,
				       .bandwidth_log = s->cmdline->bandwidth_log,
				       .trigger = s->cmdline->trigger,
				       .look_interval_ns = s->cmdline->status_interval_ns };
	struct result result;
	int code = 0, status;

	fflush(NULL);			/* so that no forked job repeats what is buffered */
	if (wants_eta(s))
		code = start_eta(s, &options, err);
	code = code ? code : run_jobs(&s->jobs, &options, &result, err);
	eta_stop(&s->eta);
	if (code)
		return err->refused ? EXIT_REFUSED : EXIT_JOB_FAILED;
	write_results(s, s->file.stream, &result);
	status = status_of(&result);
	result_release(&result);
	return output_file_finish(&s->file, err) ? EXIT_JOB_FAILED : status;
}

static int run(struct session *s, struct err *err)
{
	const struct cmdline *c = s->cmdline;
	int status;

	if (output_file_open(&s->file, c->output, c->status_interval_ns, err))
		return EXIT_USAGE;
	s->talk = stands_alone(c) ? stderr : stdout;
	if (c->formats & FORMAT_NORMAL) {
		output_normal_jobs(s->file.stream, &s->jobs);
		fflush(s->file.stream);
	}
	for (size_t i = 0; i < s->jobs.count; i++)
		s->jobs.jobs[i].verify.state_folder = c->aux_path;
	catch_signals();
	status = run_and_write(s, err);
	output_file_discard(&s->file);
	return status;
}

/* Jobs that do not do all they say: what is on stderr is an error to many programs, so that it
 * tells only who asks for no run. JSON has them, too. */
static void tell_warnings(const struct session *s)
{
	const bool runs = s->cmdline->action == ACTION_RUN;

	if (runs && stands_alone(s->cmdline))
		return;
	for (unsigned i = 0; runs && i < s->cmdline->notes_count; i++)
		printf("%s: %s\n", IOGATE_ENGINE_NAME, s->cmdline->notes[i]);
	for (size_t i = 0; i < s->jobs.warnings_count; i++)
		fprintf(runs ? stdout : stderr, "%s: warning: %s\n", IOGATE_ENGINE_NAME,
			s->jobs.warnings[i]);
}

/* --warnings-fatal, and what --debug tells of the jobs before they run. */
static int look_at_jobs(const struct session *s, struct err *err)
{
	const struct cmdline *c = s->cmdline;

	const int length = c->unknown_debug ? (int)strcspn(c->unknown_debug, ",") : 0;

	if (c->unknown_debug && c->warnings_fatal)
		return err_set(err, -EINVAL, "--debug: '%.*s' is not one of those that "
			       "--debug=help lists", length, c->unknown_debug);
	if (c->unknown_debug)
		fprintf(stderr, "%s: warning: --debug: '%.*s' is not one of those that "
			"--debug=help lists\n", IOGATE_ENGINE_NAME, length, c->unknown_debug);
	if (s->jobs.fatal_warning && c->warnings_fatal)
		return err_set(err, -EINVAL, "%s (--warnings-fatal)", s->jobs.fatal_warning);
	debug_jobs(stands_alone(c) ? stderr : stdout, c->debug, &s->jobs);
	return 0;
}

static int act_on_jobs(const struct cmdline *c, struct err *err)
{
	struct session s = { .cmdline = c };
	int status = EXIT_OK;

	if (job_builder_finish(c->builder, &s.jobs, err))
		return EXIT_USAGE;
	if (look_at_jobs(&s, err)) {
		job_list_release(&s.jobs);
		return EXIT_USAGE;
	}
	tell_warnings(&s);
	if (c->action == ACTION_SHOWCMD)
		help_showcmd(stdout, &s.jobs);
	else if (c->action == ACTION_RUN)
		status = run(&s, err);
	job_list_release(&s.jobs);
	return status;
}

/* The second line is for people: programs that ask fio for its version read the first. */
static void print_version(void)
{
	puts(version_text());
	if (strcmp(version_program(), IOGATE_ENGINE_NAME))
		puts(IOGATE_ENGINE_NAME "-" IOGATE_ENGINE_VERSION);
}

static void print_line(void *context, const char *line, size_t length)
{
	(void)context;
	fwrite(line, 1, length, stdout);
}

static int inflate_log(const char *path, struct err *err)
{
	return log_inflate_file(path, print_line, NULL, err);
}

static int act(const struct cmdline *c, struct err *err)
{
	switch (c->action) {
	case ACTION_HELP:
		usage_print(stdout);
		return EXIT_OK;
	case ACTION_VERSION:
		print_version();
		return EXIT_OK;
	case ACTION_CMDHELP:
		if (c->profile && !c->topic) {
			profile_help(stdout, c->profile);
			return EXIT_OK;
		}
		return help_options(stdout, c->topic, err) ? EXIT_USAGE : EXIT_OK;
	case ACTION_ENGHELP:
		return help_engines(stdout, c->topic, err) ? EXIT_USAGE : EXIT_OK;
	case ACTION_OPTION_REFERENCE:
		help_reference(stdout);
		return EXIT_OK;
	case ACTION_OPTION_TABLE:
		help_json(stdout);
		return EXIT_OK;
	case ACTION_DEBUG_HELP:
		debug_list(stdout);
		return EXIT_OK;
	case ACTION_CHECKSUM_TEST:
		return self_test_checksums(stdout, c->topic, err) ? EXIT_USAGE : EXIT_OK;
	case ACTION_CLOCK_TEST:
		return self_test_clock(stdout, err) ? EXIT_JOB_FAILED : EXIT_OK;
	case ACTION_IDLE_UNIT:
		return self_test_idle_unit(stdout, err) ? EXIT_JOB_FAILED : EXIT_OK;
	case ACTION_INFLATE_LOG:
		return inflate_log(c->topic, err) ? EXIT_JOB_FAILED : EXIT_OK;
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

static int command(int argc, char **argv)
{
	struct err err = { 0 };
	const int status = command_main(argc, argv, &err);

	if (err.code)
		fprintf(stderr, "%s: meter: %s\n", IOGATE_ENGINE_NAME, err.text);
	return status;
}

int main(int argc, char **argv)
{
	struct cmdline cmdline;
	struct err err = { 0 };
	int status = EXIT_USAGE;

	streams_hold();
	version_called(argc ? argv[0] : NULL);
	if (confine_is_meant(argc, argv))
		return confine(argc, argv);
	if (command_is_meant(argc, argv))
		return command(argc, argv);
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
