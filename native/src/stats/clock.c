/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct clock_state clock_state = { .multiplier = 1ull << CLOCK_SHIFT, .frequency_hz = 1e9 };

enum {
	/* Both ends of the calibration are known to about 20 ns: over 5 ms that is 8 ppm. */
	CALIBRATION_NS = 5 * 1000 * 1000,
	CALIBRATION_MAX_NS = 160 * 1000 * 1000,
	PAIR_ATTEMPTS = 16,
	COST_READS = 1000,
};

static uint64_t timespec_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

#ifdef __x86_64__
static bool file_has_word(const char *path, const char *const *names)
{
	char line[4096];
	bool found = false;
	FILE *f = fopen(path, "re");

	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f)) {
		for (size_t i = 0; names[i]; i++)
			found = found || strstr(line, names[i]);
	}
	fclose(f);
	return found;
}

/* Why the counter cannot be used; NULL when it can. */
static const char *tsc_unusable(void)
{
	static const char *const sources[] = { "tsc", "kvm-clock", NULL };
	static const char *const constant[] = { " constant_tsc", NULL };
	static const char *const nonstop[] = { " nonstop_tsc", NULL };

	/* The kernel drops a TSC that it caught drifting from this file. */
	if (!file_has_word("/sys/devices/system/clocksource/clocksource0/current_clocksource",
			   sources))
		return "the kernel itself does not use it";
	if (!file_has_word("/proc/cpuinfo", constant))
		return "its rate changes with the CPU's (no constant_tsc)";
	if (!file_has_word("/proc/cpuinfo", nonstop))
		return "it stops while the CPU sleeps (no nonstop_tsc)";
	return NULL;
}
#endif

/* Ticks and raw time of one moment: the tightest of some attempts, since an interrupt
 * between the reads would show as a rate error. The width in ticks of what is unknown. */
static uint64_t read_pair(uint64_t *ticks, uint64_t *raw_ns)
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
	return best;
}

static void start(bool tsc)
{
	clock_state.tsc = tsc;
	clock_state.multiplier = 1ull << CLOCK_SHIFT;
	clock_state.frequency_hz = 1e9;
	clock_state.start_width_ticks = read_pair(&clock_state.start_ticks,
						  &clock_state.start_raw_ns);
}

static void fall_back(const char *why)
{
	snprintf(clock_state.fallback, sizeof(clock_state.fallback), "%s", why);
	start(false);
}

void clock_init(bool may_use_tsc)
{
	const char *why = NULL;

	clock_state.fallback[0] = 0;
#ifdef __x86_64__
	why = may_use_tsc ? tsc_unusable() : NULL;
#else
	may_use_tsc = false;
#endif
	if (why)
		fall_back(why);
	else
		start(may_use_tsc);
}

static void wait_raw_ns(uint64_t ns)
{
	const uint64_t past_ns = timespec_ns(CLOCK_MONOTONIC_RAW) - clock_state.start_raw_ns;
	const struct timespec rest = { .tv_nsec = (long)(ns - past_ns) };

	if (past_ns < ns)
		nanosleep(&rest, NULL);
}

/* The rate from clock_init until now; by how many ppm it may be off at most. */
static double measure_rate(void)
{
	uint64_t ticks, raw_ns;
	const uint64_t width = read_pair(&ticks, &raw_ns) + clock_state.start_width_ticks;
	const double past = (double)(ticks - clock_state.start_ticks);
	const double ns_per_tick = (double)(raw_ns - clock_state.start_raw_ns) / past;

	clock_state.multiplier = (uint64_t)(ns_per_tick * (double)(1ull << CLOCK_SHIFT) + 0.5);
	clock_state.frequency_hz = 1e9 / ns_per_tick;
	return (double)width / 2 / past * 1e6;
}

/* On a machine whose hypervisor takes the CPU away between the reads, the ends are known
 * badly, and take a longer time to wash out. */
void clock_calibrate(void)
{
	if (!clock_state.tsc)
		return;
	for (uint64_t ns = CALIBRATION_NS; ns <= CALIBRATION_MAX_NS; ns *= 2) {
		wait_raw_ns(ns);
		if (measure_rate() <= CLOCK_PPM_MAX)
			return;
	}
	fall_back("its rate could not be measured to 20 ppm");
}

/* Ticks since clock_init as ns, less what the kernel's clock says; and that time. */
static double error_ns(double *truth_ns, double *unknown_ns)
{
	uint64_t ticks, raw_ns;
	const uint64_t width = read_pair(&ticks, &raw_ns) + clock_state.start_width_ticks;

	*truth_ns = (double)(raw_ns - clock_state.start_raw_ns);
	*unknown_ns = (double)clock_ticks_to_ns(width) / 2;
	return fabs((double)clock_ticks_to_ns(ticks - clock_state.start_ticks) - *truth_ns);
}

double clock_error_ppm(void)
{
	double truth_ns, unknown_ns;
	const double error = error_ns(&truth_ns, &unknown_ns);

	return truth_ns > 0 ? error / truth_ns * 1e6 : 0;
}

bool clock_check(void)
{
	double truth_ns, unknown_ns;
	const double error = error_ns(&truth_ns, &unknown_ns);
	char why[sizeof(clock_state.fallback)];

	if (!clock_state.tsc || error - unknown_ns <= truth_ns * CLOCK_PPM_MAX / 1e6)
		return true;
	snprintf(why, sizeof(why), "it ran %.0f ppm off the kernel's clock",
		 error / truth_ns * 1e6);
	fall_back(why);
	return false;
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
	const uint64_t multiplier = clock_state.multiplier;

	return (uint64_t)((((unsigned __int128)ns << CLOCK_SHIFT) + multiplier - 1) / multiplier);
}

uint64_t clock_epoch_ms(uint32_t clock)
{
	return timespec_ns((clockid_t)clock) / 1000000u;
}

uint64_t clock_unix_ms(void)
{
	return timespec_ns(CLOCK_REALTIME) / 1000000u;
}
