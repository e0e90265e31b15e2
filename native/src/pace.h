/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_PACE_H
#define IOGATE_PACE_H

#include "job.h"
#include "random.h"

/*
 * When I/Os of a rate-limited job are due: an arrival process for each direction that
 * has a rate, which goes on whether or not the device keeps up. Two of the same seed that
 * are asked for the same I/Os say the same: the pattern has one to choose directions, the
 * loop one for the times.
 */
struct pace {
	bool on, both;			/* both: reads and writes have a rate */
	bool poisson;
	double per_io[DIR_DATA_COUNT], per_byte[DIR_DATA_COUNT];	/* ns; 0: no limit */
	double next[DIR_DATA_COUNT];	/* ns since the loop began */
	struct random gaps[DIR_DATA_COUNT];
};

void pace_init(struct pace *p, const struct job *job, uint64_t seed);

/* Whether I/Os of this direction have due times. */
static inline bool pace_limits(const struct pace *p, int dir)
{
	return p->per_io[dir] > 0 || p->per_byte[dir] > 0;
}

/* The direction whose next I/O is due first. */
static inline uint8_t pace_first(const struct pace *p)
{
	return p->next[DIR_READ] <= p->next[DIR_WRITE] ? DIR_READ : DIR_WRITE;
}

static inline uint64_t pace_due_ns(const struct pace *p, uint8_t dir)
{
	return (uint64_t)p->next[dir];
}

/* An I/O of so many bytes was due: on to the next one of its direction. */
void pace_advance(struct pace *p, uint8_t dir, uint32_t bytes);

#endif
