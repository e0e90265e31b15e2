/* SPDX-License-Identifier: Apache-2.0 */
#include "clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct clock_state clock_state = { .multiplier = 1ull << CLOCK_SHIFT, .frequency_hz = 1e9 };

enum {
	/* Both ends of the calibration are known to about 20 ns: over 5 ms that is 8 ppm. */
	CALIBRATION_NS = 5 * 1000 * 1000,
	PAIR_ATTEMPTS = 16,
	COST_READS = 1000,
};

static uint64_t timespec_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static bool file_has_word(const char *path, const char *const *words)
{
	char line[4096];
	bool found = false;
	FILE *f = fopen(path, "re");

	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f)) {
		for (size_t i = 0; words[i]; i++)
			found = found || strstr(line, words[i]);
	}
	fclose(f);
	return found;
}

/* The kernel drops a TSC that it caught drifting from this file. */
static bool tsc_usable(void)
{
	static const char *const sources[] = { "tsc", "kvm-clock", NULL };
	static const char *const constant[] = { " constant_tsc", NULL };
	static const char *const nonstop[] = { " nonstop_tsc", NULL };

	return file_has_word("/sys/devices/system/clocksource/clocksource0/current_clocksource",
			     sources) &&
	       file_has_word("/proc/cpuinfo", constant) && file_has_word("/proc/cpuinfo", nonstop);
}

/* Ticks and raw time of one moment: the tightest of some attempts, since an
 * interrupt between the reads would show as a rate error. */
static void read_pair(uint64_t *ticks, uint64_t *raw_ns)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < PAIR_ATTEMPTS; i++) {
		const uint64_t before = clock_ticks();
		const uint64_t raw = timespec_ns(CLOCK_MONOTONIC_RAW);
		const uint64_t width = clock_ticks() - before;

		if (width < best) {
			best = width;
			*ticks = before + width / 2;
			*raw_ns = raw;
		}
	}
}

void clock_init(bool may_use_tsc)
{
#ifdef __x86_64__
	clock_state.tsc = may_use_tsc && tsc_usable();
#endif
	(void)may_use_tsc;
	clock_state.multiplier = 1ull << CLOCK_SHIFT;
	clock_state.frequency_hz = 1e9;
	read_pair(&clock_state.start_ticks, &clock_state.start_raw_ns);
}

void clock_calibrate(void)
{
	uint64_t ticks, raw_ns;

	if (!clock_state.tsc)
		return;
	raw_ns = timespec_ns(CLOCK_MONOTONIC_RAW) - clock_state.start_raw_ns;
	if (raw_ns < CALIBRATION_NS) {
		const struct timespec rest = { .tv_nsec = (long)(CALIBRATION_NS - raw_ns) };

		nanosleep(&rest, NULL);
	}
	read_pair(&ticks, &raw_ns);
	const double ns_per_tick = (double)(raw_ns - clock_state.start_raw_ns) /
				   (double)(ticks - clock_state.start_ticks);
	clock_state.multiplier = (uint64_t)(ns_per_tick * (double)(1ull << CLOCK_SHIFT) + 0.5);
	clock_state.frequency_hz = 1e9 / ns_per_tick;
}

double clock_error_ppm(void)
{
	uint64_t ticks, raw_ns;

	read_pair(&ticks, &raw_ns);
	const double truth = (double)(raw_ns - clock_state.start_raw_ns);
	const double ours = (double)clock_ticks_to_ns(ticks - clock_state.start_ticks);

	return truth > 0 ? fabs(ours - truth) / truth * 1e6 : 0;
}

uint64_t clock_read_cost_ns(void)
{
	const uint64_t start = clock_monotonic_ns();
	uint64_t sink = 0;

	for (int i = 0; i < COST_READS; i++)
		sink ^= clock_ticks();
	__asm__ volatile("" : : "r"(sink));
	return (clock_monotonic_ns() - start + COST_READS / 2) / COST_READS;
}

const char *clock_source_name(void)
{
	return clock_state.tsc ? "tsc" : "clock_monotonic";
}

uint64_t clock_ns_to_ticks(uint64_t ns)
{
	return (uint64_t)(((unsigned __int128)ns << CLOCK_SHIFT) / clock_state.multiplier);
}

uint64_t clock_unix_ms(void)
{
	return timespec_ns(CLOCK_REALTIME) / 1000000u;
}
