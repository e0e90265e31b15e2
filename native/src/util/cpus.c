/* SPDX-License-Identifier: Apache-2.0 */
#include "util/cpus.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORD_BITS = 64 };

_Static_assert(CPUS_MAX <= CPU_SETSIZE, "the kernel's set holds the list");

bool cpus_has(const struct cpu_list *list, unsigned cpu)
{
	return list->bits[cpu / WORD_BITS] >> (cpu % WORD_BITS) & 1;
}

/* One number at *at, which is moved past it. */
static int parse_cpu(const char **at, unsigned long *cpu)
{
	char *end;

	if (!isdigit((unsigned char)**at))
		return -EINVAL;
	*cpu = strtoul(*at, &end, 10);
	*at = end;
	return *cpu < CPUS_MAX ? 0 : -EINVAL;
}

/* "3" or "1-3", and what separates it from the next. */
static int parse_range(const char **at, struct cpu_list *list)
{
	unsigned long first, last;

	if (parse_cpu(at, &first))
		return -EINVAL;
	last = first;
	if (**at == '-') {
		++*at;
		if (parse_cpu(at, &last) || last < first)
			return -EINVAL;
	}
	for (unsigned long cpu = first; cpu <= last; cpu++)
		list->bits[cpu / WORD_BITS] |= UINT64_C(1) << (cpu % WORD_BITS);
	if (**at == ',')
		return *++*at ? 0 : -EINVAL;
	return **at ? -EINVAL : 0;
}

int cpus_parse(const char *text, struct cpu_list *list, struct err *err)
{
	const char *at = text;
	int code;

	*list = (struct cpu_list){ .any = true };
	do
		code = parse_range(&at, list);
	while (!code && *at);
	return code ? err_set(err, code, "'%.80s' is no list of CPUs below %d, such as 0,2-4", text,
			      CPUS_MAX) : 0;
}

int cpus_check(const struct cpu_list *list, const char *option, struct err *err)
{
	const long count = sysconf(_SC_NPROCESSORS_CONF);

	for (unsigned cpu = 0; list->any && cpu < CPUS_MAX; cpu++)
		if (cpus_has(list, cpu) && cpu >= (unsigned long)count)
			return err_set(err, -EINVAL, "%s: there is no CPU %u, this "
				       "machine has 0 to %ld", option, cpu, count - 1);
	return 0;
}

unsigned cpus_count(const struct cpu_list *list)
{
	unsigned count = 0;

	for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++)
		count += cpus_has(list, cpu);
	return count;
}

static void add(struct cpu_list *list, unsigned cpu)
{
	list->bits[cpu / WORD_BITS] |= UINT64_C(1) << (cpu % WORD_BITS);
	list->any = true;
}

struct cpu_list cpus_nth(const struct cpu_list *list, unsigned n)
{
	const unsigned count = cpus_count(list);
	struct cpu_list alone = { .any = false };
	unsigned left = count ? n % count : 0;

	for (unsigned cpu = 0; count && !alone.any; cpu++)
		if (cpus_has(list, cpu) && !left--)
			add(&alone, cpu);
	return alone;
}

struct cpu_list cpus_without(const struct cpu_list *list, const struct cpu_list *other)
{
	const long here = sysconf(_SC_NPROCESSORS_CONF);
	struct cpu_list rest = { .any = false };

	for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++)
		if ((list->any ? cpus_has(list, cpu) : cpu < (unsigned long)here) &&
		    !cpus_has(other, cpu))
			add(&rest, cpu);
	return rest;
}

int cpus_keep_to(const struct cpu_list *list)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++)
		if (cpus_has(list, cpu))
			CPU_SET(cpu, &set);
	return list->any && sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}
