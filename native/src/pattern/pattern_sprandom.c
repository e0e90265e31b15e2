/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/pattern_sprandom.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "pattern/pattern_cursor.h"

/* The k of exp(-k x) whose mean over x from 0 to 1 is 1 / (1 + op); 0 without any. */
static double decay(double op)
{
	double low = 0, high = 64;

	for (int i = 0; i < 64 && op > 0; i++) {
		const double k = (low + high) / 2;

		if (-expm1(-k) / k > 1 / (1 + op))
			low = k;
		else
			high = k;
	}
	return low;
}

static uint64_t region_blocks(const struct sprandom *s, uint64_t blocks)
{
	return (uint64_t)ceil((double)blocks * (1 + s->over_provisioning) / s->regions);
}

/* Blocks of the region that come again in the next one: none of the last one. */
static uint64_t invalid_blocks(const struct sprandom *s, double k, uint64_t length,
			       uint32_t region)
{
	const double before_end = 1 - (region + 0.5) / s->regions;

	if (region + 1 >= s->regions)
		return 0;
	return (uint64_t)lround((double)length * -expm1(-k * before_end));
}

uint64_t pattern_sprandom_blocks(const struct sprandom *s, uint64_t blocks)
{
	const uint64_t length = region_blocks(s, blocks);
	const double k = decay(s->over_provisioning);
	uint64_t fresh = 0, again = 0, all = 0;

	for (uint32_t region = 0; fresh < blocks; region++) {
		const uint64_t room = length - again, left = blocks - fresh;
		const uint64_t more = room < left ? room : left;

		all += again + more;
		fresh += more;
		again = invalid_blocks(s, k, length, region);
	}
	return all;
}

int pattern_sprandom_init(struct pattern *p, const struct job *job, uint64_t seed,
			  struct err *err)
{
	struct pattern_sprandom *s = &p->sprandom;
	const uint64_t blocks = p->cursors[0].extent.size_bytes / p->bs_bytes[DIR_WRITE];

	if (p->files_count > 1)
		return err_set(err, -EINVAL, "%s: sprandom is for one file: write a job for each",
			       job->name);
	s->how = &job->sprandom;
	s->decay = decay(job->sprandom.over_provisioning);
	s->length = region_blocks(&job->sprandom, blocks);
	s->draws.state = random_mix(seed + 9);
	s->again = calloc(s->length, sizeof(*s->again));
	s->later = calloc(s->length, sizeof(*s->later));
	if (s->again && s->later)
		return 0;
	return err_set(err, -ENOMEM, "%s: no memory for %llu blocks of two regions: make "
		       "spr_num_regions or bs larger", job->name,
		       2 * (unsigned long long)s->length);
}

void pattern_sprandom_release(struct pattern *p)
{
	free(p->sprandom.again);
	free(p->sprandom.later);
	p->sprandom.again = p->sprandom.later = NULL;
}

static void region_begin(struct pattern_sprandom *s, uint32_t region)
{
	uint64_t *const done = s->again;

	s->again = s->later;
	s->again_left = s->later_count;
	s->later = done;
	s->later_count = 0;
	s->later_left = invalid_blocks(s->how, s->decay, s->length, region);
	s->region = region;
	s->left = s->length;
}

static void begin_pass(struct pattern_sprandom *s, uint64_t pass)
{
	s->pass = pass;
	s->fresh = s->later_count = 0;
	region_begin(s, 0);
}

/* Whether this one is among `count` of those that are left of the region, each as likely. */
static bool is_drawn(struct pattern_sprandom *s, uint64_t count)
{
	return count && random_below(&s->draws, s->left) < count;
}

/* False: the pass is over. */
static bool next_block(struct pattern *p, struct pattern_cursor *c, uint64_t *block)
{
	struct pattern_sprandom *s = &p->sprandom;
	const uint64_t blocks = c->maps[DIR_READ].count;

	if (s->pass != p->passes)
		begin_pass(s, p->passes);
	if (!s->left)
		region_begin(s, s->region + 1);
	if (s->fresh == blocks && !s->again_left)
		return false;
	if (s->fresh == blocks || is_drawn(s, s->again_left))
		*block = s->again[--s->again_left];
	else
		*block = permutation_at(&c->maps[DIR_READ], s->fresh++);
	if (is_drawn(s, s->later_left)) {
		s->later[s->later_count++] = *block;
		s->later_left--;
	}
	s->left--;
	return true;
}

uint32_t pattern_sprandom_fill(struct pattern *p, struct pattern_io *out, uint32_t n)
{
	struct pattern_cursor *c = p->cursors;
	const uint32_t bs = (uint32_t)p->bs_bytes[DIR_WRITE];
	uint64_t block;
	uint32_t i = 0;

	for (; i < n && p->loop_left; i++) {
		while (!next_block(p, c, &block)) {
			if (i)
				return i;
			pattern_pass_begin(p);
		}
		out[i].offset = c->extent.start_bytes + block * bs;
		out[i].what = pattern_what(bs, DIR_WRITE);
		p->loop_left -= bs < p->loop_left ? bs : p->loop_left;
	}
	return i;
}
