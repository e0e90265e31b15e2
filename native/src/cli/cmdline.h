/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_CMDLINE_H
#define IOGATE_CMDLINE_H

#include <stdbool.h>

#include "jobfile/jobfile.h"
#include "target/expected.h"
#include "util/err.h"

enum action { ACTION_RUN, ACTION_PARSE_ONLY, ACTION_SHOWCMD, ACTION_HELP, ACTION_VERSION,
	      ACTION_CMDHELP, ACTION_ENGHELP, ACTION_OPTION_REFERENCE,
	      ACTION_OPTION_TABLE };
enum { FORMAT_NORMAL = 1, FORMAT_JSON = 2, FORMAT_JSON_PLUS = 4 };
enum eta_when { ETA_AUTO, ETA_ALWAYS, ETA_NEVER };

/* What argv asks for. Texts point into argv or live in the builder. */
struct cmdline {
	enum action action;
	const char *topic;		/* of --cmdhelp and --enghelp; NULL: all */
	const char *output;		/* NULL: stdout */
	unsigned formats;		/* FORMAT_ bits */
	enum eta_when eta;
	bool readonly, clock_per_io;
	int status_fd;			/* -1: none */
	struct expected_list *expected;	/* NULL: none was named */
	struct job_builder *builder;	/* all sections, ready for job_builder_finish */
};

/* Reads the job files that argv names. 0 or -errno; release in either case. */
int cmdline_parse(struct cmdline *c, int argc, char **argv, struct err *err);
void cmdline_release(struct cmdline *c);

/* A command of the engine itself, as opposed to a job option; for --help. */
struct command {
	const char *name, *value;	/* value: how --help names it; NULL: takes none */
	bool optional;			/* the value may be left out, and comes after '=' */
	int (*apply)(struct cmdline *c, const char *value, struct err *err);
	const char *help;
};
extern const struct command commands_all[];	/* NULL-ended */

#endif
