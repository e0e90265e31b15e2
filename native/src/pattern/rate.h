/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_RATE_H
#define IOGATE_RATE_H

#include "job/job.h"
#include "util/random.h"

/*
 * When I/Os of a rate-limited job are due: an arrival process for each direction that
 * has a rate, which goes on whether or not the device keeps up. Two of the same seed that
 * are asked for the same I/Os say the same: the pattern has one to choose directions, the
 * loop one for the times.
 */
struct rate {
	bool on, both, one;		/* of reads and writes both have a rate, or one has */
	bool poisson;
	double per_io[DIR_DATA_COUNT], per_byte[DIR_DATA_COUNT];	/* ns; 0: no limit */
	double next[DIR_DATA_COUNT];	/* ns since the loop began */
	struct random gaps[DIR_DATA_COUNT];
};

void rate_init(struct rate *p, const struct job *job, uint64_t seed);

/* Whether I/Os of this direction have due times. */
static inline bool rate_limits(const struct rate *p, int dir)
{
	return p->per_io[dir] > 0 || p->per_byte[dir] > 0;
}

/* The direction whose next I/O is due first. */
static inline uint8_t rate_first(const struct rate *p)
{
	return p->next[DIR_READ] <= p->next[DIR_WRITE] ? DIR_READ : DIR_WRITE;
}

/* Where one of reads and writes has a rate: which, and which has none. */
static inline uint8_t rate_limited(const struct rate *p)
{
	return rate_limits(p, DIR_READ) ? DIR_READ : DIR_WRITE;
}

static inline uint8_t rate_free(const struct rate *p)
{
	return rate_limits(p, DIR_READ) ? DIR_WRITE : DIR_READ;
}

static inline uint64_t rate_due_ns(const struct rate *p, uint8_t dir)
{
	return (uint64_t)p->next[dir];
}

/* An I/O of so many bytes was due: on to the next one of its direction. */
void rate_advance(struct rate *p, uint8_t dir, uint32_t bytes);

/* A pause of so many ns: what was due in it is due later. */
void rate_delay(struct rate *p, uint64_t ns);

#endif
