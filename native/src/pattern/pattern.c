/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/pattern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "engines/engine.h"
#include "pattern/pattern_cursor.h"
#include "pattern/pattern_plain.h"
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

static uint32_t draw_length(struct pattern *p, uint8_t dir)
{
	const struct block_split *s = &p->splits[dir];
	uint64_t percent;

	if (!s->count)
		return (uint32_t)p->bs_bytes[dir];
	percent = random_below(&p->lengths, 100);
	for (uint32_t i = 0; i < s->count; i++) {
		if (percent < s->shares[i].percent)
			return s->shares[i].bytes;
		percent -= s->shares[i].percent;
	}
	return s->shares[0].bytes;
}

/* Round robin over the files that have something left; false: the pass is over. */
static bool next_file(struct pattern *p, struct pattern_io *io)
{
	while (p->files_done < p->files_count) {
		const uint32_t file = p->file;

		p->file = file + 1 == p->files_count ? 0 : file + 1;
		if (pattern_cursor_take(p, &p->cursors[file], io)) {
			io->file = (uint16_t)file;
			return true;
		}
	}
	return false;
}

static uint8_t choose_dir(struct pattern *p)
{
	if (!p->mixed)
		return p->only_dir;
	return p->rate.both ? rate_first(&p->rate) : pattern_draw_dir(p);
}

static uint32_t fill_general(struct pattern *p, struct pattern_io *out, uint32_t n)
{
	uint32_t i = 0;

	for (; i < n && p->loop_left; i++) {
		out[i].dir = choose_dir(p);
		out[i].length = draw_length(p, out[i].dir);
		while (!next_file(p, &out[i])) {
			if (i)
				return i;
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

	if (p->trace_next == t->count) {
		if (!p->loops_left)
			return 0;
		p->loops_left -= p->loops_left != UINT64_MAX;
		p->trace_base_ns += t->ios[t->count - 1].due_ns;
		p->trace_next = 0;
	}
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

uint32_t pattern_fill(struct pattern *p, struct pattern_io *out, uint32_t n)
{
	if (p->trace || p->no_data) {
		n = p->ios_left < n ? (uint32_t)p->ios_left : n;
		n = p->trace ? fill_trace(p, out, n) : fill_nothing(p, out, n);
		p->ios_left -= n;
		return n;
	}
	if (!p->loop_left) {
		if (!p->loops_left)
			return 0;
		p->loops_left -= p->loops_left != UINT64_MAX;
		p->loop_left = p->loop_bytes;
		pattern_pass_begin(p);
	}
	n = loop_ios_left(p) < n ? (uint32_t)loop_ios_left(p) : n;
	n = p->ios_left < n ? (uint32_t)p->ios_left : n;
	n = p->fill(p, out, n);
	p->ios_left -= n;
	return n;
}

static void choose_fill(struct pattern *p)
{
	const bool one_size = !p->varied && (!p->mixed || p->shared_map);
	const bool is_plain = p->files_count == 1 && !p->zoned && !p->rate.both && one_size;

	p->fill = is_plain ? pattern_plain(p) : fill_general;
}

uint32_t pattern_unit(const struct job *job)
{
	uint64_t bytes = UINT32_MAX;

	for (int dir = DIR_READ; dir <= DIR_WRITE; dir++) {
		const struct block_split *s = &job->block.splits[dir];

		if (!(job->rw & (RW_READ << dir)))
			continue;
		for (uint32_t i = 0; i < s->count; i++)
			bytes = s->shares[i].bytes < bytes ? s->shares[i].bytes : bytes;
		if (!s->count && job->block.bytes[dir] < bytes)
			bytes = job->block.bytes[dir];
	}
	return (uint32_t)bytes;
}

static void init_variety(struct pattern *p, const struct job *job, uint64_t seed)
{
	p->splits = job->block.splits;
	p->unit_bytes = pattern_unit(job);
	p->zipf = p->random && job->distribution.zipf;
	p->theta = job->distribution.theta;
	p->varied = job->block.splits[DIR_READ].count || job->block.splits[DIR_WRITE].count
		    || p->zipf;
	p->mapped = p->random && !job->norandommap && !p->varied;
	p->lengths.state = random_mix(seed + 6);
	rate_init(&p->rate, job, seed);
	p->rate.both = p->rate.both && p->mixed;
}

static void init_from_job(struct pattern *p, const struct job *job, uint64_t seed)
{
	memset(p, 0, sizeof(*p));
	memcpy(p->bs_bytes, job->block.bytes, sizeof(p->bs_bytes));
	p->random = job->rw & RW_RANDOM;
	p->mixed = (job->rw & RW_READ) && (job->rw & RW_WRITE);
	p->only_dir = job->rw & RW_READ ? DIR_READ : DIR_WRITE;
	if (!p->mixed)
		p->bs_bytes[DIR_READ] = p->bs_bytes[DIR_WRITE] = p->bs_bytes[p->only_dir];
	p->shared_map = p->bs_bytes[DIR_READ] == p->bs_bytes[DIR_WRITE];
	p->zoned = job->zones.mode == ZONE_STRIDED;
	p->zone_size = job->zones.size_bytes;
	p->zone_range = job->zones.range_bytes ? job->zones.range_bytes : job->zones.size_bytes;
	p->zone_skip = job->zones.skip_bytes;
	p->read_threshold = ((uint64_t)job->rwmixread_percent << 32) / 100;
	p->directions.state = random_mix(seed + 1);
	p->offsets.state = random_mix(seed + 2);
	p->maps.state = random_mix(seed + 3);
	init_variety(p, job, seed);
	p->trace = job->replay.trace;
	p->ios_left = job->amount.ios ? job->amount.ios : UINT64_MAX;
	p->loops_left = job->time.based && job->time.runtime_ns ? UINT64_MAX
			: job->time.loops ? job->time.loops : 1;
}

static int check(const struct pattern *p, const struct job *job, struct err *err)
{
	const uint64_t bs = pattern_block_max(p);

	if (!bs)
		return err_set(err, -EINVAL, "%s: the block size is 0", job->name);
	if (p->zoned && (p->zone_size < bs || p->zone_range < bs))
		return err_set(err, -EINVAL, "%s: zonesize=%llu holds no block of %llu bytes: "
			       "make zonesize at least bs", job->name,
			       (unsigned long long)p->zone_size, (unsigned long long)bs);
	return 0;
}

static int add_extent(struct pattern *p, const struct job *job, uint32_t i,
		      const struct pattern_extent *extent, struct err *err)
{
	const uint64_t bs = pattern_block_max(p);

	if (extent->size_bytes < bs)
		return err_set(err, -EINVAL, "%s: %llu bytes of file %u hold no block of %llu: "
			       "make size larger or bs smaller", job->name,
			       (unsigned long long)extent->size_bytes, i, (unsigned long long)bs);
	p->cursors[i].extent = *extent;
	if (__builtin_add_overflow(p->loop_bytes, extent->size_bytes / bs * bs, &p->loop_bytes))
		return err_set(err, -EFBIG, "%s: the files together are too large: make filesize "
			       "or nrfiles smaller", job->name);
	return 0;
}

uint64_t pattern_loop_bytes(const struct job *job, uint64_t whole)
{
	if (job->amount.io_size.bytes)
		return job->amount.io_size.bytes;
	if (job->amount.io_size.percent)
		return whole / 100 * job->amount.io_size.percent;
	if (job->files.size.max_bytes && job->amount.size.bytes && job->amount.size.bytes < whole)
		return job->amount.size.bytes;
	return whole;
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
	p->cursors = calloc(extents_count, sizeof(*p->cursors));
	if (!ret && !p->cursors)
		ret = err_set(err, -ENOMEM, "%s: no memory for %u files", job->name,
			      extents_count);
	for (uint32_t i = 0; !ret && i < extents_count; i++)
		ret = add_extent(p, job, i, &extents[i], err);
	if (ret)
		return ret;
	p->files_count = extents_count;
	p->loop_bytes = pattern_loop_bytes(job, p->loop_bytes);
	choose_fill(p);
	return 0;
}

void pattern_release(struct pattern *p)
{
	free(p->cursors);
	p->cursors = NULL;
}
