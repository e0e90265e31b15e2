/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "cli/commands_parts.h"
#include "cli/debug.h"
#include "util/units.h"

enum { MS = 1000 * 1000, ETA_LEAST_MS = 250 };

static int time_of(const char *word, const char *value, uint64_t least_ms, uint64_t *ns,
		   struct err *err)
{
	struct err why = { 0 };

	if (units_time(value, 1000000000u, ns, &why))
		return err_set(err, -EINVAL, "--%s: %s", word, why.text);
	if (*ns < least_ms * MS)
		return err_set(err, -EINVAL, "--%s: '%.40s' is too short: %u ms at least", word,
			       value, (unsigned)least_ms);
	return 0;
}

int apply_eta(struct cmdline *c, const char *value, struct err *err)
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

int apply_eta_interval(struct cmdline *c, const char *value, struct err *err)
{
	return time_of("eta-interval", value, ETA_LEAST_MS, &c->eta_interval_ns, err);
}

int apply_eta_newline(struct cmdline *c, const char *value, struct err *err)
{
	return time_of("eta-newline", value, 1, &c->eta_newline_ns, err);
}

int apply_status_interval(struct cmdline *c, const char *value, struct err *err)
{
	return time_of("status-interval", value, 1, &c->status_interval_ns, err);
}

int apply_debug(struct cmdline *c, const char *value, struct err *err)
{
	const char *unknown;

	(void)err;
	if (!strcmp(value, "help") || !strcmp(value, "?")) {
		c->action = ACTION_DEBUG_HELP;
		return 0;
	}
	c->debug |= debug_bits(value, &unknown);
	if (unknown)
		c->unknown_debug = unknown;
	return 0;
}

int apply_warnings_fatal(struct cmdline *c, const char *value, struct err *err)
{
	(void)value, (void)err;
	c->warnings_fatal = true;
	return 0;
}

int apply_aux_path(struct cmdline *c, const char *value, struct err *err)
{
	if (!*value)
		return err_set(err, -EINVAL, "--aux-path: the folder's name is missing");
	c->aux_path = value;
	return 0;
}

static int note(struct cmdline *c, const char *text)
{
	if (c->notes_count < NOTES_MAX)
		c->notes[c->notes_count++] = text;
	return 0;
}

static int check_number(const char *word, const char *value, struct err *err)
{
	if (*value && value[strspn(value, "0123456789")] == '\0')
		return 0;
	return err_set(err, -EINVAL, "%s: '%.80s' is no number", word, value);
}

int apply_max_jobs(struct cmdline *c, const char *value, struct err *err)
{
	const int code = check_number("--max-jobs", value, err);

	return code ? code : note(c, "--max-jobs does nothing here: there is no limit to raise");
}

int apply_alloc_size(struct cmdline *c, const char *value, struct err *err)
{
	const int code = check_number("--alloc-size", value, err);

	return code ? code : note(c, "--alloc-size does nothing here: memory is taken as it is "
				     "needed");
}
