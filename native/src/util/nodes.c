/* SPDX-License-Identifier: Apache-2.0 */
#include "util/nodes.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SYSFS_NODES "/sys/devices/system/node/"

enum { TEXT_MAX = 4096 };

int nodes_parse(const char *text, struct node_list *list, struct err *err)
{
	*list = (struct node_list){ .all = !strcmp(text, "all") };
	if (list->all)
		list->numbers.any = true;
	else if (cpus_parse(text, &list->numbers, NULL))
		return err_set(err, -EINVAL, "'%.80s' is no list of nodes below %d, such as 0,2-4 "
			       "or all", text, CPUS_MAX);
	return 0;
}

static int parse_nodes_of(const char *mode, const char *nodes, struct memory_policy *policy,
			  struct err *err)
{
	if (!nodes)
		return err_set(err, -EINVAL, "'%s' needs its nodes: %s:0", mode, mode);
	if (nodes_parse(nodes, &policy->nodes, err))
		return -EINVAL;
	if (policy->mode == MEMORY_PREFER &&
	    (policy->nodes.all || cpus_count(&policy->nodes.numbers) != 1))
		return err_set(err, -EINVAL, "'prefer' has one node: prefer:0");
	return 0;
}

int memory_policy_parse(const char *text, struct memory_policy *policy, struct err *err)
{
	static const char *const names[] = {
		[MEMORY_DEFAULT] = "default", [MEMORY_PREFER] = "prefer", [MEMORY_BIND] = "bind",
		[MEMORY_INTERLEAVE] = "interleave", [MEMORY_LOCAL] = "local",
	};
	const size_t length = strcspn(text, ":");

	*policy = (struct memory_policy){ .given = true };
	for (unsigned mode = 0; mode < sizeof(names) / sizeof(*names); mode++) {
		if (strlen(names[mode]) != length || memcmp(names[mode], text, length))
			continue;
		policy->mode = (enum memory_mode)mode;
		if (mode == MEMORY_DEFAULT || mode == MEMORY_LOCAL)
			return 0;
		return parse_nodes_of(names[mode], text[length] ? text + length + 1 : NULL,
				      policy, err);
	}
	return err_set(err, -EINVAL, "'%.80s' is not one of default, prefer:N, bind:N, "
		       "interleave:N, local", text);
}

/* A list of numbers that the kernel keeps; false: it is not there. */
static bool read_list(const char *path, struct cpu_list *list)
{
	FILE *in = fopen(path, "re");
	char text[TEXT_MAX] = "";
	bool good;

	if (!in)
		return false;
	good = fgets(text, sizeof(text), in);
	fclose(in);
	text[strcspn(text, "\n")] = '\0';
	return good && !cpus_parse(text, list, NULL);
}

/* A kernel without NUMA has no such folder: all memory is node 0. */
static void nodes_online(struct cpu_list *nodes)
{
	if (!read_list(SYSFS_NODES "online", nodes))
		*nodes = (struct cpu_list){ .bits = { 1 }, .any = true };
}

int nodes_check(const struct node_list *list, const char *option, struct err *err)
{
	struct cpu_list online;

	nodes_online(&online);
	for (unsigned node = 0; list->numbers.any && !list->all && node < CPUS_MAX; node++)
		if (cpus_has(&list->numbers, node) && !cpus_has(&online, node))
			return err_set(err, -EINVAL, "%s: this machine has no node %u "
				       "(" SYSFS_NODES "online has those that there are)",
				       option, node);
	return 0;
}

void nodes_cpus(const struct node_list *list, struct cpu_list *cpus)
{
	char path[sizeof(SYSFS_NODES) + 40];
	struct cpu_list online, of_node;

	nodes_online(&online);
	*cpus = (struct cpu_list){ .any = false };
	for (unsigned node = 0; node < CPUS_MAX; node++) {
		if (!cpus_has(list->all ? &online : &list->numbers, node))
			continue;
		snprintf(path, sizeof(path), SYSFS_NODES "node%u/cpulist", node);
		if (!read_list(path, &of_node))
			continue;	/* no CPU, or no NUMA */
		cpus->any = true;
		for (unsigned i = 0; i < CPUS_MAX / 64; i++)
			cpus->bits[i] |= of_node.bits[i];
	}
}

int memory_policy_apply(const struct memory_policy *policy)
{
	static const int modes[] = {
		[MEMORY_DEFAULT] = MPOL_DEFAULT, [MEMORY_PREFER] = MPOL_PREFERRED,
		[MEMORY_BIND] = MPOL_BIND, [MEMORY_INTERLEAVE] = MPOL_INTERLEAVE,
		[MEMORY_LOCAL] = MPOL_LOCAL,
	};
	struct cpu_list nodes = policy->nodes.numbers;
	long ret;

	if (policy->nodes.all)
		nodes_online(&nodes);
	if (policy->mode == MEMORY_DEFAULT || policy->mode == MEMORY_LOCAL)
		ret = syscall(SYS_set_mempolicy, modes[policy->mode], NULL, 0);
	else	/* the kernel takes one less than this for the number of bits */
		ret = syscall(SYS_set_mempolicy, modes[policy->mode], nodes.bits, CPUS_MAX + 1);
	return ret && errno != ENOSYS ? -errno : 0;
}
