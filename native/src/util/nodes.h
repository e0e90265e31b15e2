/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_NODES_H
#define IOGATE_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include "util/cpus.h"
#include "util/err.h"

/* Nodes of memory (NUMA): bit n of `numbers` is node n; `all` stands for those that there are. */
struct node_list {
	struct cpu_list numbers;
	bool all;
};

/* Where a job's memory comes from, as the kernel's MPOL_ modes. */
struct memory_policy {
	enum memory_mode { MEMORY_DEFAULT, MEMORY_PREFER, MEMORY_BIND, MEMORY_INTERLEAVE,
		MEMORY_LOCAL } mode;
	bool given;
	struct node_list nodes;
};

/* "0,2-4" or "all". 0, or -EINVAL with the reason. */
int nodes_parse(const char *text, struct node_list *list, struct err *err);
/* "bind:0-1", "local", … as numa_mem_policy has it. */
int memory_policy_parse(const char *text, struct memory_policy *policy, struct err *err);
/* Whether this machine has them; -EINVAL with the reason, which begins with `option`. */
int nodes_check(const struct node_list *list, const char *option, struct err *err);
/* The CPUs of those nodes. */
void nodes_cpus(const struct node_list *list, struct cpu_list *cpus);
/* Take the calling thread's memory from there from now on. 0 or -errno. */
int memory_policy_apply(const struct memory_policy *policy);

#endif
