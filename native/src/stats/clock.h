/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_CLOCK_H
#define IOGATE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

/*
 * The clock of the hot path. Ticks are those of the time stamp counter where it
 * runs at a constant rate, never stops and the kernel itself trusts it; else ns
 * of CLOCK_MONOTONIC. Either way a difference of ticks becomes ns by one multiply
 * and one shift. Set up once, before workers start; read-only afterwards.
 */
enum { CLOCK_SHIFT = 32, CLOCK_PPM_MAX = 20, CLOCK_WHY_MAX = 160 };

struct clock_state {
	bool tsc;
	char fallback[CLOCK_WHY_MAX];		/* why not; "" where that was not wanted */
	uint64_t multiplier;		/* ns per tick, times 2^CLOCK_SHIFT */
	double frequency_hz;
	/* the first end of the calibration, and how far it may be off */
	uint64_t start_ticks, start_raw_ns, start_width_ticks;
};

extern struct clock_state clock_state;

/* First half: choose the source (the kernel's clock where the counter may not or cannot be
 * used) and note the time. Second half, some ms later (waits when it is too soon): the rate,
 * known to CLOCK_PPM_MAX, or else the kernel's clock. */
void clock_init(bool may_use_tsc);
void clock_calibrate(void);
/* While no worker runs: use the kernel's clock from now on if the counter has drifted from it
 * by more than CLOCK_PPM_MAX. True when it keeps time. */
bool clock_check(void);

/* How far the rate was off, in parts per million, from clock_init until now. */
double clock_error_ppm(void);
/* What one read costs, measured now. */
uint64_t clock_read_cost_ns(void);
const char *clock_source_name(void);

static inline uint64_t clock_monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static inline uint64_t clock_ticks(void)
{
#ifdef __x86_64__
	if (clock_state.tsc)
		return __rdtsc();
#endif
	return clock_monotonic_ns();
}

/* A difference of ticks in ns: 128 bits, so that a day does not overflow. */
static inline uint64_t clock_ticks_to_ns(uint64_t ticks)
{
	return (uint64_t)(((unsigned __int128)ticks * clock_state.multiplier) >> CLOCK_SHIFT);
}

/* From one moment to another. A counter of one core may lag another's by a few ticks: never
 * a negative time. */
static inline uint64_t clock_between_ns(uint64_t from, uint64_t to)
{
	return to > from ? clock_ticks_to_ns(to - from) : 0;
}

/* Rounded up: that many ticks are never less than ns. */
uint64_t clock_ns_to_ticks(uint64_t ns);
uint64_t clock_unix_ms(void);
uint64_t clock_epoch_ms(uint32_t clock);	/* of any clock of clock_gettime(2); 0: Unix time */

#endif
