/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_CMDLINE_H
#define IOGATE_CMDLINE_H

#include <stdbool.h>

#include "cli/profile.h"
#include "jobfile/jobfile.h"
#include "run/run_options.h"
#include "target/expected.h"
#include "util/err.h"

enum action { ACTION_RUN, ACTION_PARSE_ONLY, ACTION_SHOWCMD, ACTION_HELP, ACTION_VERSION,
	      ACTION_CMDHELP, ACTION_ENGHELP, ACTION_OPTION_REFERENCE,
	      ACTION_OPTION_TABLE, ACTION_DEBUG_HELP, ACTION_CHECKSUM_TEST, ACTION_CLOCK_TEST,
	      ACTION_IDLE_UNIT, ACTION_INFLATE_LOG };
enum { FORMAT_NORMAL = 1, FORMAT_JSON = 2, FORMAT_JSON_PLUS = 4, FORMAT_TERSE = 8 };
enum eta_when { ETA_AUTO, ETA_ALWAYS, ETA_NEVER };
enum { NOTES_MAX = 16 };

/* What argv asks for. Texts point into argv or live in the builder. */
struct cmdline {
	enum action action;
	const char *topic;		/* of --cmdhelp, --enghelp, --crctest, …; NULL: all */
	const char *output;		/* NULL: stdout */
	unsigned formats;		/* FORMAT_ bits */
	int terse_version;
	enum eta_when eta;
	uint64_t eta_interval_ns, eta_newline_ns;	/* 0: as it comes; none */
	uint64_t status_interval_ns;	/* of whole results while the run goes on; 0: none */
	unsigned debug;			/* bits of debug_types */
	bool readonly, clock_per_io, warnings_fatal, bandwidth_log;
	enum idle_profile idle_profile;
	struct trigger trigger;
	const char *aux_path;		/* where verify state is; NULL: the working directory */
	const char *notes[NOTES_MAX];	/* words that do nothing here, each with its reason */
	unsigned notes_count;
	const char *unknown_debug;	/* what --debug does not know; NULL */
	int status_fd;			/* -1: none */
	struct expected_list *expected;	/* NULL: none was named */
	const struct profile *profile;	/* NULL: none */
	bool has_options;		/* of jobs, whether behind the profile or not */
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
