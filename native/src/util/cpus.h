/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_CPUS_H
#define IOGATE_CPUS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"

/* cpus_allowed: bit n is CPU n; any is false when it is unset. */
enum { CPUS_MAX = 1024 };
struct cpu_list {
	uint64_t bits[CPUS_MAX / 64];
	bool any;
};

/* cpus_allowed: "0,2-4"; CPUs below CPUS_MAX. 0, or -EINVAL with the reason. */
int cpus_parse(const char *text, struct cpu_list *list, struct err *err);
/* Whether this machine has them all; -EINVAL with the reason, which begins with `option`. */
int cpus_check(const struct cpu_list *list, const char *option, struct err *err);
bool cpus_has(const struct cpu_list *list, unsigned cpu);
unsigned cpus_count(const struct cpu_list *list);
/* Of the n-th, from 0 on and round again, alone. */
struct cpu_list cpus_nth(const struct cpu_list *list, unsigned n);
/* Without those of `other`; a list of none stands for all CPUs of this machine. */
struct cpu_list cpus_without(const struct cpu_list *list, const struct cpu_list *other);
/* Keep the calling thread on them; all CPUs are fine when none is listed. 0 or -errno. */
int cpus_keep_to(const struct cpu_list *list);

#endif
