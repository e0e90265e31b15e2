/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/pattern.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "engines/engine.h"
#include "pattern/pattern_cursor.h"
#include "pattern/pattern_drawn.h"
#include "pattern/pattern_files.h"
#include "pattern/pattern_fit.h"
#include "pattern/pattern_map.h"
#include "pattern/pattern_pair.h"
#include "pattern/pattern_plain.h"
#include "pattern/pattern_sequence.h"
#include "pattern/pattern_sizes.h"
#include "pattern/pattern_sprandom.h"
#include "pattern/pattern_turn.h"
#include "pattern/pattern_zbd.h"
#include "pattern/trace.h"

static const uint64_t default_seed = 0x10a7e5eed;

uint64_t pattern_seed(const struct job *job, uint32_t job_index, uint32_t clone)
{
	uint64_t seed = job->randseed ? job->randseed : default_seed;

	/* Without randomness to be had the fixed seed stays: still a valid order. */
	if (!job->randrepeat && getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		seed = default_seed;
	return random_mix(seed ^ random_mix(((uint64_t)job_index << 32) + clone));
}

static uint8_t choose_dir(struct pattern *p)
{
	if (!p->mixed)
		return p->only_dir;
	if (p->holds)
		return rate_free(&p->rate);
	return p->rate.both ? rate_first(&p->rate) : pattern_draw_dir(p);
}

bool pattern_may_hold(const struct pattern *p)
{
	return p->mixed && p->rate.one && !p->trace;
}

void pattern_hold(struct pattern *p, bool holds)
{
	p->holds = holds;
}

/* Where a pass ends before its bytes were moved, its loop does. */
static bool ends_early(const struct pattern *p)
{
	if (!p->one_pass || !p->pass_of_loop)
		return false;
	if (p->random)
		return p->varied && p->mapped;
	return p->sequence.on || p->pass_unit_bytes || p->zbd.on;
}

static uint32_t fill_general(struct pattern *p, struct pattern_io *out, uint32_t n)
{
	uint32_t i = 0;

	for (; i < n && p->loop_left; i++) {
		out[i].dir = choose_dir(p);
		out[i].length = pattern_drawn_length(p, out[i].dir);
		while (!pattern_turn(p, &out[i])) {
			const bool starves = p->zbd.on && !p->zbd.has_moved;

			if (ends_early(p) || starves)
				p->loop_left = 0;
			if (starves)	/* nothing is there to be read: not later, either */
				p->loops_left = 0;
			if (i || !p->loop_left)
				return i;
			p->pass_of_loop = p->loop_left == p->loop_share;
			pattern_pass_begin(p);
		}
		if (p->rate.both)
			rate_advance(&p->rate, out[i].dir, out[i].length);
		p->loop_left -= out[i].length < p->loop_left ? out[i].length : p->loop_left;
	}
	return i;
}

/* How many I/Os the loop still has room for: an upper bound when sizes differ. */
static uint64_t loop_ios_left(const struct pattern *p)
{
	const uint64_t bs = p->unit_bytes;

	return p->loop_left / bs + !!(p->loop_left % bs);
}

/* An engine that moves no data has turns, without end. */
static uint32_t fill_nothing(struct pattern *p, struct pattern_io *out, uint32_t n)
{
	(void)p;
	memset(out, 0, n * sizeof(*out));
	return n;
}

/* A batch ends with its pass, so that all of it has the same base. */
static uint32_t fill_trace(struct pattern *p, struct pattern_io *out, uint32_t n)
{
	const struct trace *t = p->trace;
	uint32_t i = 0;

	if (p->trace_next == t->count || !p->ios_left) {
		if (!p->loops_left)
			return 0;
		p->loops_left -= p->loops_left != UINT64_MAX;
		p->trace_base_ns += t->ios[t->count - 1].due_ns;
		p->trace_next = 0;
		p->ios_left = p->loop_ios;
	}
	n = p->ios_left < n ? (uint32_t)p->ios_left : n;
	for (; i < n && p->trace_next < t->count; i++) {
		const struct trace_io *io = &t->ios[p->trace_next++];

		out[i] = (struct pattern_io){
			.offset = io->offset, .length = io->length, .file = io->file,
			.dir = io->dir, .data_only = io->data_only,
		};
	}
	return i;
}

uint64_t pattern_due_ns(const struct pattern *p, uint32_t from_last)
{
	return p->trace_base_ns + p->trace->ios[p->trace_next - from_last].due_ns;
}

static uint64_t share_of(uint64_t over, uint64_t bytes)
{
	return over < bytes ? over : bytes;
}

/* One more loop, which goes on where the last one ended; false: there are no more. */
static bool loop_begin(struct pattern *p)
{
	if (!p->loops_left)
		return false;
	p->loops_left -= p->loops_left != UINT64_MAX;
	p->loops++;
	p->loop_left = p->loop_share = p->loop_bytes - share_of(p->loop_over, p->loop_bytes);
	p->loop_over -= share_of(p->loop_over, p->loop_bytes);
	p->ios_left = p->loop_ios;
	p->pass_of_loop = !p->passes || p->files_done == p->files_count;
	if (p->pass_of_loop)
		pattern_pass_begin(p);
	return true;
}

/* As fio does: what the last block of a loop moves above its share is the next one's. */
static void note_over(struct pattern *p, const struct pattern_io *ios, uint32_t n, uint64_t left)
{
	uint64_t moved = 0;

	for (uint32_t i = 0; i < n; i++)
		moved += ios[i].length;
	p->loop_over = moved > left ? moved - left : 0;
}

/* As many of n as belong to this loop; 0 where that has ended before its bytes were moved. */
static uint32_t fill_loop(struct pattern *p, struct pattern_io *out, uint32_t n)
{
	const uint64_t left = p->loop_left;

	n = loop_ios_left(p) < n ? (uint32_t)loop_ios_left(p) : n;
	n = p->ios_left < n ? (uint32_t)p->ios_left : n;
	n = p->fill(p, out, n);
	p->ios_left -= n;
	if (left && !p->loop_left)
		note_over(p, out, n, left);
	return n;
}

static uint32_t fill_blocks(struct pattern *p, struct pattern_io *out, uint32_t n)
{
	if (p->no_data) {
		n = fill_nothing(p, out, p->ios_left < n ? (uint32_t)p->ios_left : n);
		p->ios_left -= n;
		return n;
	}
	if (p->trace) {
		n = fill_trace(p, out, n);
		p->ios_left -= n;
		return n;
	}
	for (;;) {
		uint32_t count;

		if ((!p->loop_left || !p->ios_left) && !loop_begin(p))
			return 0;
		count = fill_loop(p, out, n);
		if (count)
			return count;
	}
}

uint32_t pattern_fill(struct pattern *p, struct pattern_io *out, uint32_t n)
{
	if (!p->pair.on)
		return fill_blocks(p, out, n);
	if (pattern_pair_is_done(&p->pair)) {
		if (!fill_blocks(p, &p->pair.block, 1))
			return 0;
		p->pair.done_bytes = 0;
	}
	return pattern_pair_fill(&p->pair, out, n);
}

static void choose_fill(struct pattern *p)
{
	const bool is_simple = p->files_count == 1 && !p->zoned && !p->rate.both &&
			       !pattern_may_hold(p) && !p->sequence.on && !p->zbd.on;
	const bool one_size = !p->varied && (!p->mixed || p->shared_map);

	p->fill = is_simple && one_size ? pattern_plain(p) : fill_general;
	if (is_simple && p->varied && p->random && !p->mapped)
		p->fill = pattern_drawn(p);
	if (p->sprandom.how)
		p->fill = pattern_sprandom_fill;
}

static void init_variety(struct pattern *p, const struct job *job, uint64_t seed)
{
	p->splits = job->block.splits;
	p->ranges = job->block.ranges;
	p->unaligned = job->block.unaligned;
	p->unit_bytes = p->pair.on ? (uint32_t)p->bs_bytes[DIR_WRITE] : pattern_unit(job);
	p->distribution = &job->distribution;
	p->skewed = p->random && (job->distribution.skew.kind || job->distribution.zones->count ||
				  job->distribution.sequence.count);
	p->sequence_moves = job->sequence_moves;
	p->varied = p->skewed;
	JOB_DIRS(dir, job) {
		const struct size_range sizes = pattern_sizes(job, dir);

		p->align_bytes[dir] = job->block.align[dir] ? (uint32_t)job->block.align[dir]
							    : p->unit_bytes;
		p->varied = p->varied || job->block.splits[dir].count ||
			    pattern_has_range(job, dir) ||
			    (p->random && pattern_alignment(job, dir));
		if (sizes.min_bytes < sizes.max_bytes)
			p->pass_unit_bytes = p->unaligned ? 1 : p->unit_bytes;
	}
	pattern_map_choose(p, job);
	p->lengths.state = random_mix(seed + 6);
	rate_init(&p->rate, job, seed);
	p->rate.both = p->rate.both && p->mixed;
}

static void init_from_job(struct pattern *p, const struct job *job, uint64_t seed)
{
	memset(p, 0, sizeof(*p));
	memcpy(p->bs_bytes, job->block.bytes, sizeof(p->bs_bytes));
	p->random = job->rw & RW_RANDOM;
	p->mixed = job_mixes(job);
	p->only_dir = job_does(job, DIR_READ) && job_does(job, DIR_WRITE) &&
		      !job->rwmixread_percent ? DIR_WRITE : job_main_dir(job);
	if (job_trims_before_writes(job) && !job->replay.trace)
		pattern_pair_init(p, job);
	for (unsigned dir = 0; dir < DIR_DATA_COUNT && !p->mixed; dir++)
		p->bs_bytes[dir] = p->bs_bytes[p->only_dir];
	p->shared_map = p->bs_bytes[DIR_READ] == p->bs_bytes[DIR_WRITE];
	p->lanes = p->shared_map ? RW_READ : job->rw & (RW_READ | RW_WRITE | RW_TRIM);
	p->zoned = job->zones.mode == ZONE_STRIDED;
	p->zbd.on = job->zones.mode == ZONE_ZBD;
	p->zone_size = job->zones.size_bytes;
	p->zone_range = job->zones.range_bytes ? job->zones.range_bytes : job->zones.size_bytes;
	p->zone_skip = job->zones.skip.bytes;
	p->read_threshold = ((uint64_t)job->rwmixread_percent << 32) / 100;
	p->directions.state = random_mix(seed + 1);
	p->offsets.state = random_mix(seed + 2);
	p->maps.state = random_mix(seed + 3);
	p->places.state = random_mix(seed + 8);
	p->one_pass = !job->amount.io_size.bytes && !job->amount.io_size.percent;
	pattern_sequence_init(p, job);
	init_variety(p, job, seed);
	p->trace = job->replay.trace;
	p->loop_ios = p->ios_left = job->amount.ios ? job->amount.ios : UINT64_MAX;
	p->loops_left = job->time.based && job->time.runtime_ns ? UINT64_MAX
			: job->time.loops ? job->time.loops : 1;
}

static int check(const struct pattern *p, const struct job *job, struct err *err)
{
	const char *text = pattern_block_max(p) ? pattern_zones_complaint(job)
						: "the block size is 0";

	return text ? err_set(err, -EINVAL, "%s: %s", job->name, text) : 0;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Whether a loop ends with what the files hold; else it goes on until as much is moved. */
static bool has_passes(const struct pattern *p)
{
	return !p->random || p->mapped || p->zoned || p->sequence.on;
}

static int add_extent(struct pattern *p, const struct job *job, uint32_t i,
		      const struct pattern_extent *extent, struct err *err)
{
	const uint64_t bs = pattern_block_max(p);
	const uint64_t step = p->zbd.remainder || !has_passes(p) ? 1 : p->map_units ? p->unit_bytes
			      : p->pass_unit_bytes ? p->pass_unit_bytes : bs;
	char name[32];
	int ret;

	snprintf(name, sizeof(name), "file %u", i);
	ret = pattern_fit(job, extent, name, err);
	if (ret)
		return ret;
	if (p->skewed && job->distribution.sequence.span > extent->size_bytes / p->unit_bytes)
		return err_set(err, -EINVAL, "%s: random_distribution: the sequence has a block "
			       "%llu, and file %u has %llu of them: make size larger or leave it "
			       "out", job->name,
			       (unsigned long long)job->distribution.sequence.span - 1, i,
			       (unsigned long long)extent->size_bytes / p->unit_bytes);
	p->cursors[i].extent = *extent;
	p->cursors[i].most_bytes = !p->zoned ? extent->size_bytes
				   : smaller(extent->size_bytes, smaller(p->zone_size,
									 p->zone_range));
	ret = p->zbd.on ? pattern_zbd_fit(&p->cursors[i], job, err) : 0;
	if (ret)
		return ret;
	if (__builtin_add_overflow(p->loop_bytes, p->cursors[i].extent.size_bytes / step * step,
				   &p->loop_bytes))
		return err_set(err, -EFBIG, "%s: the files together are too large: make filesize "
			       "or nrfiles smaller", job->name);
	return 0;
}

uint64_t pattern_loop_bytes(const struct job *job, uint64_t whole)
{
	const uint64_t bs = job->block.bytes[DIR_WRITE];

	if (job->amount.io_size.bytes)
		return job->amount.io_size.bytes;
	if (job->amount.io_size.percent)
		return whole / 100 * job->amount.io_size.percent;
	if (job->sprandom.on)
		return pattern_sprandom_blocks(&job->sprandom, whole / bs) * bs;
	if ((job->files.size.max_bytes || job->files.below) && job->amount.size.bytes &&
	    job->amount.size.bytes < whole)
		return job->amount.size.bytes;
	return whole;
}

/* As fio does: what is less than a block behind whole passes is left out. */
static uint64_t whole_passes(const struct pattern *p, uint64_t asked, uint64_t pass)
{
	const uint64_t rest = asked % pass;
	const bool has_rest = asked >= pass && rest < pattern_block_max(p);

	return has_rest && has_passes(p) && (!p->varied || p->map_units) ? asked - rest : asked;
}

int pattern_init(struct pattern *p, const struct job *job,
		 const struct pattern_extent *extents, uint32_t extents_count, uint64_t seed,
		 struct err *err)
{
	int ret;

	init_from_job(p, job, seed);
	if (job->ops && job->ops->flags & ENGINE_NO_DATA) {
		p->no_data = true;
		return 0;
	}
	if (job->replay.trace) {
		p->loops_left -= p->loops_left != UINT64_MAX;	/* the first has begun */
		return 0;
	}
	ret = check(p, job, err);
	if (p->zbd.on)
		pattern_zbd_init(p, job, seed);
	p->cursors = calloc(extents_count, sizeof(*p->cursors));
	if (!ret && !p->cursors)
		ret = err_set(err, -ENOMEM, "%s: no memory for %u files", job->name,
			      extents_count);
	p->files_count = p->cursors ? extents_count : 0;
	for (uint32_t i = 0; !ret && i < extents_count; i++)
		ret = add_extent(p, job, i, &extents[i], err);
	if (!ret)
		ret = pattern_files_init(&p->files, job, extents_count, seed, err);
	if (!ret)
		ret = pattern_map_init(p, job, err);
	if (!ret && job->sprandom.on)
		ret = pattern_sprandom_init(p, job, seed, err);
	if (ret)
		return ret;
	p->loop_bytes = whole_passes(p, pattern_loop_bytes(job, p->loop_bytes), p->loop_bytes);
	choose_fill(p);
	return 0;
}

void pattern_release(struct pattern *p)
{
	pattern_files_release(&p->files);
	pattern_sprandom_release(p);
	for (uint32_t i = 0; i < p->files_count && p->cursors; i++)
		pattern_zbd_release(&p->cursors[i]);
	pattern_map_release(p);
	free(p->cursors);
	p->cursors = NULL;
}
