/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

#include <errno.h>
#include <string.h>

#include "util/units.h"

enum { KB_BASE = 1024, NICE_LEAST = 20, NICE_MOST = 19, PRIORITY_MOST = 7, CLASS_MOST = 3,
	HINT_MOST = 1023, WEIGHT_LEAST = 100, WEIGHT_MOST = 1000 };

static const struct option_choice policy_choices[] = {
	{ "shared", CPUS_SHARED, "each clone runs on any of them" },
	{ "split", CPUS_SPLIT, "each clone has one of them, in turn over all jobs" },
	{ NULL, 0, NULL },
};

/* Bit n is CPU n. */
static int parse_mask(const struct option_destination *to, const char *text)
{
	struct cpu_list list = { .any = true };
	int code = units_number(text, KB_BASE, &list.bits[0], to->err);

	if (!code && !list.bits[0])
		return err_set(to->err, -EINVAL, "a mask of 0 has no CPU: bit 0 is CPU 0");
	if (!code)
		memcpy(to->field, &list, sizeof(list));
	return code;
}

static const struct option_type type_cpu_mask = {
	.words = "number",
	.width = sizeof(struct cpu_list),
	.parse = parse_mask,
};

static int parse_nodes(const struct option_destination *to, const char *text)
{
	return nodes_parse(text, (void *)to->field, to->err);
}

static const struct option_type type_nodes = {
	.words = "nodes, such as `0,2-4` or `all`",
	.width = sizeof(struct node_list),
	.parse = parse_nodes,
};

static int parse_memory(const struct option_destination *to, const char *text)
{
	return memory_policy_parse(text, (void *)to->field, to->err);
}

static const struct option_type type_memory = {
	.words = "`default`, `local`, `prefer:N`, `bind:N,…` or `interleave:N,…`",
	.width = sizeof(struct memory_policy),
	.parse = parse_memory,
};

static int parse_nice(const struct option_destination *to, const char *text)
{
	const char *digits = text + strspn(text, " \t");
	const bool negative = *digits == '-';
	uint64_t value;
	int code = units_number(digits + negative, KB_BASE, &value, to->err);

	if (!code && value > (negative ? NICE_LEAST : NICE_MOST))
		return err_set(to->err, -EINVAL, "'%.80s' is not from -%d to %d", text, NICE_LEAST,
			       NICE_MOST);
	if (!code)
		option_store(to, negative ? -value : value);
	return code;
}

static const struct option_type type_nice = {
	.words = "number from -20 to 19",
	.width = sizeof(int32_t),
	.parse = parse_nice,
};

static int parse_id(const struct option_destination *to, const char *text)
{
	struct id_value id = { .given = true };
	uint64_t value;
	int code = units_number(text, KB_BASE, &value, to->err);

	if (!code && value >= UINT32_MAX)
		return err_set(to->err, -EINVAL, "%.80s is no id: they are below 4294967295", text);
	id.number = (uint32_t)value;
	if (!code)
		memcpy(to->field, &id, sizeof(id));
	return code;
}

static const struct option_type type_id = {
	.words = "number",
	.width = sizeof(struct id_value),
	.parse = parse_id,
};

/* A path that leads nowhere else. */
static int parse_cgroup(const struct option_destination *to, const char *text)
{
	for (const char *at = text; *(at += strspn(at, "/")); at += strcspn(at, "/"))
		if (*at == '.')
			return err_set(to->err, -EINVAL, "'%.80s' is no group: no part of it "
				       "begins with a dot", text);
	return type_text.parse(to, text);
}

static const struct option_type type_cgroup = {
	.words = "text",
	.width = sizeof(char *),
	.parse = parse_cgroup,
};

static const struct option rows[] = {
	{ "cgroup", NULL, &type_cgroup, JOB(place.cgroup),
	  .help = "Control group of block I/O that the job is in; made when it is not there, and "
		  "then taken away at the end." },
	{ "cgroup_nodelete", NULL, &type_bool, JOB(place.cgroup_stays), "0",
	  .help = "Leave the control groups that were made." },
	{ "cgroup_weight", NULL, &type_number, JOB(place.cgroup_weight), .min = WEIGHT_LEAST,
	  .max = WEIGHT_MOST, .help = "Weight of the control group among others." },
	{ "comm", NULL, &type_text, JOB(place.comm),
	  .help = "What top and ps call the job's clones, in 15 letters." },
	{ "cpumask", NULL, &type_cpu_mask, JOB(place.cpus),
	  .help = "cpus_allowed as a number: bit 0 is CPU 0, up to 63." },
	{ "cpus_allowed", NULL, &type_cpus, JOB(place.cpus),
	  .help = "CPUs that the job's clones share; without it, all of them." },
	{ "cpus_allowed_policy", NULL, &type_choice, JOB(place.policy), "shared",
	  .choices = policy_choices,
	  .help = "Whether clones share the CPUs of cpus_allowed, or have one each." },
	{ "gid", NULL, &type_id, JOB(place.gid),
	  .help = "Group that the job runs as, and that its files are made as." },
	{ "gtod_cpu", NULL, &type_cpus, JOB(place.reserved),
	  .help = "CPU that is left free of the job. No thread reads the clock there: that is "
		  "cheap enough for each job." },
	{ "nice", NULL, &type_nice, JOB(place.nice), "0",
	  .help = "Added to the niceness that the job's clones run at." },
	{ "numa_cpu_nodes", NULL, &type_nodes, JOB(place.nodes),
	  .help = "Nodes on whose CPUs the job's clones run." },
	{ "numa_mem_policy", NULL, &type_memory, JOB(place.memory),
	  .help = "Nodes that the job's memory comes from." },
	{ "prio", NULL, &type_number, JOB(place.priority), .max = PRIORITY_MOST,
	  .help = "Priority of the job's I/O, 0 is the highest; without prioclass, in class 2." },
	{ "prioclass", NULL, &type_number, JOB(place.class), .max = CLASS_MOST,
	  .help = "Class of the job's I/O: 1 realtime, 2 best effort, 3 idle." },
	{ "priohint", NULL, &type_number, JOB(place.hint), .max = HINT_MOST,
	  .help = "Hint for the device beside the priority: 1 to 7 limit how long a command may "
		  "take." },
	{ "uid", NULL, &type_id, JOB(place.uid),
	  .help = "User that the job runs as, and that its files are made as." },
	{ .name = NULL },
};

const struct option_category options_placement = { "CPUs, memory and rights", rows };
