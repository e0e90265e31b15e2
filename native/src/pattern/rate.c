/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/rate.h"

#include <math.h>
#include <string.h>

#include "pattern/pattern_sizes.h"

/* Blocks of several sizes: as many bytes as so many of the smallest have, as fio documents it.
 * Poisson's are counted, as fio does. */
static void limit_iops(struct rate *p, const struct job *job, unsigned dir)
{
	const struct size_range sizes = pattern_sizes(job, dir);
	const double ns = 1e9 / (double)job->rate.iops[dir];

	if (p->poisson || sizes.min_bytes == sizes.max_bytes)
		p->per_io[dir] = ns;
	else
		p->per_byte[dir] = ns / (double)sizes.min_bytes;
}

void rate_init(struct rate *p, const struct job *job, uint64_t seed)
{
	memset(p, 0, sizeof(*p));
	p->poisson = job->rate.process == RATE_POISSON;
	JOB_DIRS(dir, job) {
		p->gaps[dir].state = random_mix(seed + 4 + dir);
		if (job->rate.iops[dir])
			limit_iops(p, job, dir);
		else if (job->rate.bytes[dir])
			p->per_byte[dir] = 1e9 / (double)job->rate.bytes[dir];
		p->on = p->on || rate_limits(p, (int)dir);
	}
	p->both = rate_limits(p, DIR_READ) && rate_limits(p, DIR_WRITE);
	p->one = rate_limits(p, DIR_READ) != rate_limits(p, DIR_WRITE);
}

/* Exponential gaps of mean 1 make a Poisson process; 1 - u is never 0. */
static double gap(struct rate *p, uint8_t dir)
{
	if (!p->poisson)
		return 1;
	return -log(1 - (double)(random_next(&p->gaps[dir]) >> 11) * 0x1p-53);
}

void rate_advance(struct rate *p, uint8_t dir, uint32_t bytes)
{
	if (rate_limits(p, dir))
		p->next[dir] += (p->per_io[dir] + p->per_byte[dir] * bytes) * gap(p, dir);
}

void rate_delay(struct rate *p, uint64_t ns)
{
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++)
		p->next[dir] += (double)ns;
}
