/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "cli/commands_parts.h"
#include "util/units.h"

int apply_idle_prof(struct cmdline *c, const char *value, struct err *err)
{
	if (!strcmp(value, "calibrate"))
		c->action = ACTION_IDLE_UNIT;
	else if (!strcmp(value, "system"))
		c->idle_profile = IDLE_PROFILE_SYSTEM;
	else if (!strcmp(value, "percpu"))
		c->idle_profile = IDLE_PROFILE_CPUS;
	else
		return err_set(err, -EINVAL, "--idle-prof: '%.40s' is not one of calibrate, "
			       "system, percpu", value);
	return 0;
}

int apply_bandwidth_log(struct cmdline *c, const char *value, struct err *err)
{
	(void)value, (void)err;
	c->bandwidth_log = true;
	return 0;
}

int apply_crctest(struct cmdline *c, const char *value, struct err *err)
{
	(void)err;
	c->action = ACTION_CHECKSUM_TEST;
	c->topic = value;
	return 0;
}

int apply_cpuclock_test(struct cmdline *c, const char *value, struct err *err)
{
	(void)value, (void)err;
	c->action = ACTION_CLOCK_TEST;
	return 0;
}

int apply_inflate_log(struct cmdline *c, const char *value, struct err *err)
{
	if (c->action == ACTION_INFLATE_LOG)
		return err_set(err, -EINVAL, "--inflate-log: one log at a time");
	c->action = ACTION_INFLATE_LOG;
	c->topic = value;
	return 0;
}

int apply_profile(struct cmdline *c, const char *value, struct err *err)
{
	if (c->has_options || c->profile)
		return err_set(err, -EINVAL,
			       "--profile: it comes once, before all options of jobs");
	c->profile = profile_find(value, err);
	return c->profile ? profile_begin(c->profile, c->builder, err) : err->code;
}

int apply_trigger(struct cmdline *c, const char *value, struct err *err)
{
	(void)err;
	c->trigger.command = value;
	return 0;
}

int apply_trigger_file(struct cmdline *c, const char *value, struct err *err)
{
	if (!*value)
		return err_set(err, -EINVAL, "--trigger-file: the file's name is missing");
	c->trigger.file = value;
	return 0;
}

int apply_trigger_timeout(struct cmdline *c, const char *value, struct err *err)
{
	struct err why = { 0 };

	if (units_time(value, 1000000000u, &c->trigger.timeout_ns, &why))
		return err_set(err, -EINVAL, "--trigger-timeout: %s", why.text);
	return 0;
}
