/* SPDX-License-Identifier: Apache-2.0 */
#include "run/idleness.h"

#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/clock.h"

enum { UNIT_BYTES = 64 * 1024, UNITS = 32, CPUS_MAX = 4096, LINE_MAX_BYTES = 512 };

struct idle_ticks {
	uint64_t idle, all;
};

/* "cpu3 user nice system idle iowait irq softirq steal …": time that waits for I/O is idle. */
static bool read_line(const char *line, uint32_t *cpu, struct idle_ticks *ticks)
{
	uint64_t values[8] = { 0 };
	char *at;

	if (strncmp(line, "cpu", 3) || line[3] < '0' || line[3] > '9')
		return false;
	*cpu = (uint32_t)strtoul(line + 3, &at, 10);
	*ticks = (struct idle_ticks){ 0 };
	for (unsigned i = 0; i < 8; i++) {
		values[i] = strtoull(at, &at, 10);
		ticks->all += values[i];
	}
	ticks->idle = values[3] + values[4];
	return *cpu < CPUS_MAX;
}

/* Of each CPU by its number; those that are offline have no ticks. NULL without memory. */
static struct idle_ticks *read_ticks(uint32_t *count)
{
	struct idle_ticks *all = calloc(CPUS_MAX, sizeof(*all)), ticks;
	FILE *file = fopen("/proc/stat", "re");
	char line[LINE_MAX_BYTES];
	uint32_t cpu;

	*count = 0;
	while (all && file && fgets(line, sizeof(line), file)) {
		if (!read_line(line, &cpu, &ticks))
			continue;
		all[cpu] = ticks;
		*count = cpu + 1 > *count ? cpu + 1 : *count;
	}
	if (file)
		fclose(file);
	return all;
}

static double unit_us(const uint64_t *memory)
{
	const uint64_t begin = clock_monotonic_ns();
	uint64_t sum = 0;

	for (unsigned unit = 0; unit < UNITS; unit++)
		for (size_t i = 0; i < UNIT_BYTES / sizeof(*memory); i++)
			sum = sum * 31 + memory[i];
	__asm__ volatile("" : : "r"(sum));	/* or the compiler leaves the work out */
	return (double)(clock_monotonic_ns() - begin) / 1000 / UNITS;
}

void idleness_calibrate(struct idleness *idle)
{
	uint64_t *memory = calloc(1, UNIT_BYTES);
	double sum = 0, squares = 0;
	cpu_set_t allowed, one;
	unsigned n = 0;

	if (!memory || sched_getaffinity(0, sizeof(allowed), &allowed))
		CPU_ZERO(&allowed);
	for (int cpu = 0; memory && cpu < CPU_SETSIZE; cpu++) {
		double us;

		if (!CPU_ISSET(cpu, &allowed))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (sched_setaffinity(0, sizeof(one), &one))
			continue;
		us = unit_us(memory);
		sum += us;
		squares += us * us;
		n++;
	}
	sched_setaffinity(0, sizeof(allowed), &allowed);
	free(memory);
	idle->unit_mean_us = n ? sum / n : 0;
	idle->unit_stddev_us = n > 1 ? sqrt(fmax(squares - sum * sum / n, 0) / (n - 1)) : 0;
}

void idle_watch_begin(struct idle_watch *w, enum idle_profile profile)
{
	*w = (struct idle_watch){ .profile = profile };
	if (profile != IDLE_PROFILE_NONE)
		w->before = read_ticks(&w->count);
}

static double percent(struct idle_ticks from, struct idle_ticks to)
{
	const uint64_t all = to.all - from.all;

	return all && to.all > from.all ? 100.0 * (double)(to.idle - from.idle) / (double)all : 0;
}

void idle_watch_end(struct idle_watch *w, struct idleness *idle)
{
	struct idle_ticks *after = NULL, from = { 0 }, to = { 0 };
	uint32_t count;

	if (!w->before)
		return;
	after = read_ticks(&count);
	idle->cpus = after ? calloc(w->count + 1, sizeof(*idle->cpus)) : NULL;
	idle->profile = idle->cpus ? w->profile : IDLE_PROFILE_NONE;
	idle->count = idle->cpus ? w->count : 0;
	for (uint32_t i = 0; i < idle->count; i++) {
		idle->cpus[i] = percent(w->before[i], after[i]);
		from.idle += w->before[i].idle;
		from.all += w->before[i].all;
		to.idle += after[i].idle;
		to.all += after[i].all;
	}
	idle->system = percent(from, to);
	free(after);
	free(w->before);
	w->before = NULL;
}

void idleness_release(struct idleness *idle)
{
	free(idle->cpus);
	*idle = (struct idleness){ 0 };
}
