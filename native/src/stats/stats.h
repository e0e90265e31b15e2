/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The room stats: what is counted, and the clock it is timed with.
 *
 *	stats.h		what one worker counts: moments, histograms, errors; directions of an I/O
 *	histogram.h	latencies in buckets, as fio lays them out
 *	clock.h		ticks of the processor's counter, and what they are in ns
 *
 * One worker writes its statistics, with inline functions and plain stores; others look at
 * them while they grow (run/sampler.h).
 */
#ifndef IOGATE_STATS_H
#define IOGATE_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/histogram.h"

/* Direction of an I/O. The first three move data; DIR_SYNC is fsync/fdatasync. */
enum io_dir { DIR_READ, DIR_WRITE, DIR_TRIM, DIR_DATA_COUNT, DIR_SYNC = DIR_DATA_COUNT,
	      DIR_COUNT };
extern const char *const io_dir_names[DIR_COUNT];	/* "read" "write" "trim" "sync" */

enum { STATS_DEPTH_LEVELS = 7, STATS_ERRNO_MAX = 16 };

/* Integer moments, in ns: cheap to update per I/O, turned into mean and standard
 * deviation once, at the end. min is UINT64_MAX while n is 0. */
struct moments {
	uint64_t n, min, max, sum;
	unsigned __int128 sum_squares;
};

static inline void moments_init(struct moments *m)
{
	*m = (struct moments){ .min = UINT64_MAX };
}

static inline void moments_add(struct moments *m, uint64_t value)
{
	m->n++;
	m->sum += value;
	m->sum_squares += (unsigned __int128)value * value;
	m->min = value < m->min ? value : m->min;
	m->max = value > m->max ? value : m->max;
}

/* n times the same value, as a batch that shares its clock reads gives. */
static inline void moments_add_n(struct moments *m, uint64_t value, uint64_t n)
{
	m->n += n;
	m->sum += value * n;
	m->sum_squares += (unsigned __int128)value * (value * n);
	m->min = value < m->min ? value : m->min;
	m->max = value > m->max ? value : m->max;
}

/* The same but for n and sum, which the hot path leaves to worker_stats_settle. A new
 * extreme is rare: a branch never taken costs less than a store. */
static inline void moments_add_squares(struct moments *m, uint64_t value, uint64_t n)
{
	m->sum_squares += (unsigned __int128)value * (value * n);
	if (__builtin_expect(value < m->min, 0))
		m->min = value;
	if (__builtin_expect(value > m->max, 0))
		m->max = value;
}

static inline void moments_add_sums(struct moments *m, uint64_t value, uint64_t n)
{
	m->sum += value * n;
	moments_add_squares(m, value, n);
}

void moments_merge(struct moments *into, const struct moments *from);
double moments_mean(const struct moments *m);		/* 0 when empty */
double moments_stddev(const struct moments *m);		/* sample (n-1); 0 when n < 2 */

/* I/Os of one priority of several. */
enum { STATS_PRIORITIES = 8 };
struct priority_stats {
	bool used;
	uint16_t priority;			/* as ioprio_set(2) has it */
	struct moments lat;			/* completion, or total with lat_percentiles */
	struct histogram histogram;
};

/* What one worker counts in one direction. lat = slat + clat for each I/O. */
struct dir_stats {
	uint64_t ios, bytes, short_ios, dropped_ios;
	uint64_t runtime_ns;			/* first start to last completion; 0: no I/O */
	struct moments slat, clat, lat;
	struct histogram clat_histogram;
	bool all_histograms;			/* slat and lat have one, too */
	struct histogram slat_histogram, lat_histogram;
	/* From when a rate-limited I/O was due to its completion: what a user would have
	 * waited. n is 0 without a rate. */
	struct moments intended;
	struct histogram intended_histogram;
	struct priority_stats priorities[STATS_PRIORITIES];	/* the used ones first */
};

struct errno_count {
	int error;				/* positive errno; 0 ends the list */
	uint64_t count;
};

/* Everything a worker measures. Lives in memory shared with the parent, is
 * written by one worker only, and read by the sampler while it grows. */
struct worker_stats {
	struct dir_stats dirs[DIR_DATA_COUNT];
	struct moments sync_lat;
	struct histogram sync_histogram;
	/* 1 2 4 8 16 32 >=64: in flight at issue */
	uint64_t depth_levels[STATS_DEPTH_LEVELS];
	/* 0 4 8 16 32 64 >=64: I/Os a submission */
	uint64_t submit_levels[STATS_DEPTH_LEVELS];
	uint64_t complete_levels[STATS_DEPTH_LEVELS];	/* the same, per reap that found any */
	struct errno_count errors[STATS_ERRNO_MAX];	/* errored I/Os, apart from throughput */
	uint64_t runtime_ns;				/* measured part, without ramp */
	uint64_t all_runtimes_ns;			/* of all workers that this adds up */
	uint64_t user_ns, system_ns;			/* CPU time in the measured part */
	uint64_t context_switches, major_faults, minor_faults;
};

/* Make *s empty. *s is zeroed or was initialised before: only what was counted
 * into is cleared, so that untouched pages stay untouched. */
void worker_stats_init(struct worker_stats *s);
/* What the hot path leaves out, filled in from what it counts: n of the moments and
 * the sum of lat; of a synchronous engine also lat (it is clat); of one at a time the
 * levels (always one I/O). */
void worker_stats_settle(struct worker_stats *s, bool synchronous, bool alone);
/* into += from, of one direction or of several. */
void dir_stats_merge(struct dir_stats *into, const struct dir_stats *from);
/* Of one I/O; what does not fit in the table goes to its last entry. */
void dir_stats_add_priority(struct dir_stats *d, uint16_t priority, uint64_t lat_ns);
void dir_stats_forget_clat(struct dir_stats *d);	/* disable_clat */
/* Count an errored I/O; what does not fit in the table goes to its last entry. */
void worker_stats_error(struct worker_stats *s, int error, uint64_t count);
/* into += from: sums, histograms exact; runtimes take the longest. */
void worker_stats_merge(struct worker_stats *into, const struct worker_stats *from);

/* Bandwidth (KiB/s) and IOPS as sampled every 500 ms, or of each I/O where a log has it, as fio
 * reports them. */
struct rate_samples {
	struct moments bw_kib, iops;
	double bw_mean, bw_stddev, iops_mean, iops_stddev;
};

/* One interval of the time series of a job; counts are deltas. */
struct interval {
	uint64_t end_ms;			/* since the job's measured part began */
	uint64_t ios[DIR_DATA_COUNT], bytes[DIR_DATA_COUNT];
	uint64_t clat_sum_ns[DIR_DATA_COUNT];
	uint32_t bins_at[DIR_DATA_COUNT], bins_count[DIR_DATA_COUNT];	/* into series.bins */
};
struct series_bin { uint32_t index; uint32_t count; };	/* histogram bucket, I/Os */
struct series {
	uint32_t interval_ms, intervals_count, bins_total;
	struct interval *intervals;
	struct series_bin *bins;
};

#endif
