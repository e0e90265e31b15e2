/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "engine.h"
#include "trace.h"
#include "zipf.h"

/*
 * Where the next I/O of one file falls: inside a window, which is the whole extent
 * or, with zones, one zone after another. `next` is the number of the block in the
 * window that comes next, or with a map the place in its order.
 */
struct pattern_cursor {
	struct pattern_extent extent;
	uint64_t window_start, window_size;	/* from the start of the extent */
	uint64_t window_left;			/* bytes still to do in this zone */
	uint64_t next[DIR_DATA_COUNT];
	struct permutation maps[DIR_DATA_COUNT];
	struct zipf zipf;
	struct permutation scatter;		/* of zipf's ranks over the blocks */
	bool done;				/* for this pass */
};

static const uint64_t default_seed = 0x10a7e5eed;

uint64_t pattern_seed(const struct job *job, uint32_t job_index, uint32_t clone)
{
	uint64_t seed = job->randseed ? job->randseed : default_seed;

	/* Without randomness to be had the fixed seed stays: still a valid order. */
	if (!job->randrepeat && getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		seed = default_seed;
	return random_mix(seed ^ random_mix(((uint64_t)job_index << 32) + clone));
}

/* Shared by both directions of a mixed job, or one each. */
static uint8_t lane(const struct pattern *p, uint8_t dir)
{
	return p->shared_map ? DIR_READ : dir;
}

static void window_init(struct pattern *p, struct pattern_cursor *c)
{
	memset(c->next, 0, sizeof(c->next));
	if (!p->mapped)
		return;
	for (uint8_t dir = DIR_READ; dir <= DIR_WRITE; dir++) {
		if (lane(p, dir) == dir)
			permutation_init(&c->maps[dir], c->window_size / p->bs_bytes[dir],
					 &p->maps);
	}
}

static uint64_t block_max(const struct pattern *p)
{
	return p->bs_bytes[DIR_READ] > p->bs_bytes[DIR_WRITE] ? p->bs_bytes[DIR_READ]
							      : p->bs_bytes[DIR_WRITE];
}

/* The zone at window_start, cut off at the end of the extent; a rest too small for
 * a block is left out and the first zone follows. */
static void zone_enter(struct pattern *p, struct pattern_cursor *c, uint64_t start)
{
	if (start + block_max(p) > c->extent.size_bytes)
		start = 0;
	c->window_start = start;
	c->window_size = c->extent.size_bytes - start;
	if (c->window_size > p->zone_range)
		c->window_size = p->zone_range;
	c->window_left = p->zone_size;
	window_init(p, c);
}

static void cursor_rewind(struct pattern *p, struct pattern_cursor *c)
{
	c->done = false;
	if (p->zoned) {
		zone_enter(p, c, 0);
		return;
	}
	c->window_start = 0;
	c->window_size = c->extent.size_bytes;
	window_init(p, c);
}

static void pass_begin(struct pattern *p)
{
	for (uint32_t i = 0; i < p->files_count; i++)
		cursor_rewind(p, &p->cursors[i]);
	p->files_done = 0;
	p->file = 0;
	p->passes++;
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

static uint8_t draw_dir(struct pattern *p)
{
	return random_next(&p->directions) >> 32 < p->read_threshold ? DIR_READ : DIR_WRITE;
}

/*
 * The usual case, a single file without zones and one block size: one tight loop
 * an order. It stops before the end of a pass; uniform offsets have none. In a mixed
 * sequential job either direction may be the one that gets there.
 */
enum order { ORDER_SEQUENTIAL, ORDER_MAPPED, ORDER_UNIFORM };

/* How many of n I/Os certainly belong to this pass; begins the next one at its end. */
static inline __attribute__((always_inline))
uint32_t plain_room(struct pattern *p, struct pattern_cursor *c, uint64_t blocks, uint32_t n,
		    enum order order)
{
	const uint64_t *next = c->next;
	const uint64_t done = order == ORDER_MAPPED || next[DIR_READ] > next[DIR_WRITE]
			      ? next[DIR_READ] : next[DIR_WRITE];

	if (order == ORDER_UNIFORM)
		return n;
	if (done == blocks) {
		pass_begin(p);
		return blocks < n ? (uint32_t)blocks : n;
	}
	return blocks - done < n ? (uint32_t)(blocks - done) : n;
}

static inline __attribute__((always_inline))
uint32_t fill_plain(struct pattern *p, struct pattern_io *out, uint32_t n, enum order order,
		    bool mixed)
{
	struct pattern_cursor *c = p->cursors;
	const uint64_t bs = p->bs_bytes[p->only_dir];
	const uint64_t blocks = c->extent.size_bytes / bs;
	const uint64_t start = c->extent.start_bytes;

	n = plain_room(p, c, blocks, n, order);
	const struct permutation map = c->maps[0];	/* copies: they stay in registers */
	const uint64_t first = c->next[0];
	struct random offsets = p->offsets;
	struct pattern_io next = { .length = (uint32_t)bs, .dir = p->only_dir };

	for (uint32_t i = 0; i < n; i++) {
		const uint8_t dir = mixed ? draw_dir(p) : p->only_dir;
		const uint64_t block = order == ORDER_MAPPED ? permutation_at(&map, first + i)
				       : order == ORDER_UNIFORM ? random_below(&offsets, blocks)
				       : c->next[dir]++;

		next.offset = start + block * bs;
		next.dir = dir;
		out[i] = next;
	}
	p->offsets = offsets;
	if (order == ORDER_MAPPED)
		c->next[0] += n;
	p->loop_left -= n * bs < p->loop_left ? n * bs : p->loop_left;
	return n;
}

#define FILL_PLAIN(name, order, mixed)							\
static uint32_t name(struct pattern *p, struct pattern_io *out, uint32_t n)		\
{											\
	return fill_plain(p, out, n, order, mixed);					\
}
FILL_PLAIN(fill_sequential, ORDER_SEQUENTIAL, false)
FILL_PLAIN(fill_mapped, ORDER_MAPPED, false)
FILL_PLAIN(fill_uniform, ORDER_UNIFORM, false)
FILL_PLAIN(fill_sequential_mixed, ORDER_SEQUENTIAL, true)
FILL_PLAIN(fill_mapped_mixed, ORDER_MAPPED, true)
FILL_PLAIN(fill_uniform_mixed, ORDER_UNIFORM, true)

/* The next block inside the window: false when the window has no more. */
static bool window_take(struct pattern *p, struct pattern_cursor *c, uint8_t dir,
			uint64_t *block)
{
	const uint64_t blocks = c->window_size / p->bs_bytes[dir];
	uint64_t *next = &c->next[p->mapped ? lane(p, dir) : dir];

	if (p->random && !p->mapped) {
		*block = random_below(&p->offsets, blocks);
		return true;
	}
	if (*next >= blocks)
		return false;
	*block = p->mapped ? permutation_at(&c->maps[lane(p, dir)], *next) : *next;
	(*next)++;
	return true;
}

/* A multiple of the unit from which length bytes fit into the window. */
static uint64_t random_start(struct pattern *p, struct pattern_cursor *c, uint32_t length)
{
	const uint64_t starts = (c->window_size - length) / p->unit_bytes + 1;
	uint64_t unit;

	if (!p->zipf)
		return random_below(&p->offsets, starts) * p->unit_bytes;
	if (!c->zipf.count) {
		zipf_init(&c->zipf, c->window_size / p->unit_bytes, p->theta);
		permutation_init(&c->scatter, c->zipf.count, &p->maps);
	}
	unit = permutation_at(&c->scatter, zipf_draw(&c->zipf, &p->offsets));
	return (unit < starts ? unit : starts - 1) * p->unit_bytes;
}

/* Blocks of any size, one after the other or anywhere. */
static bool varied_take(struct pattern *p, struct pattern_cursor *c, struct pattern_io *io)
{
	uint64_t *next = &c->next[io->dir];
	uint64_t start = *next;

	if (p->random)
		start = random_start(p, c, io->length);
	else if (start + io->length > c->window_size)
		return false;
	*next = start + io->length;
	io->offset = c->extent.start_bytes + c->window_start + start;
	return true;
}

static bool cursor_take(struct pattern *p, struct pattern_cursor *c, struct pattern_io *io)
{
	const uint8_t dir = io->dir;
	uint64_t block;

	if (c->done)
		return false;
	if (p->varied && !p->zoned) {
		c->done = !varied_take(p, c, io);
		p->files_done += c->done;
		return !c->done;
	}
	if (p->zoned && (!c->window_left || !window_take(p, c, dir, &block))) {
		zone_enter(p, c, c->window_start + p->zone_range + p->zone_skip);
		if (!window_take(p, c, dir, &block))
			BUG("a zone that was just entered holds no block");
	} else if (!p->zoned && !window_take(p, c, dir, &block)) {
		c->done = true;
		p->files_done++;
		return false;
	}
	io->offset = c->extent.start_bytes + c->window_start + block * p->bs_bytes[dir];
	c->window_left -= p->bs_bytes[dir] < c->window_left ? p->bs_bytes[dir]
							    : c->window_left;
	return true;
}

/* Round robin over the files that have something left; false: the pass is over. */
static bool next_file(struct pattern *p, struct pattern_io *io)
{
	while (p->files_done < p->files_count) {
		const uint32_t file = p->file;

		p->file = file + 1 == p->files_count ? 0 : file + 1;
		if (cursor_take(p, &p->cursors[file], io)) {
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
	return p->pace.both ? pace_first(&p->pace) : draw_dir(p);
}

static uint32_t fill_general(struct pattern *p, struct pattern_io *out, uint32_t n)
{
	uint32_t i = 0;

	for (; i < n && p->loop_left; i++) {
		out[i].dir = choose_dir(p);
		out[i].length = draw_length(p, out[i].dir);
		if (p->pace.both)
			pace_advance(&p->pace, out[i].dir, out[i].length);
		while (!next_file(p, &out[i])) {
			if (i)
				return i;
			pass_begin(p);
		}
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
		pass_begin(p);
	}
	n = loop_ios_left(p) < n ? (uint32_t)loop_ios_left(p) : n;
	n = p->ios_left < n ? (uint32_t)p->ios_left : n;
	n = p->fill(p, out, n);
	p->ios_left -= n;
	return n;
}

static void choose_fill(struct pattern *p)
{
	static uint32_t (*const plain[3][2])(struct pattern *, struct pattern_io *, uint32_t) = {
		{ fill_sequential, fill_sequential_mixed },
		{ fill_mapped, fill_mapped_mixed },
		{ fill_uniform, fill_uniform_mixed },
	};
	const enum order order = !p->random ? ORDER_SEQUENTIAL
				 : p->mapped ? ORDER_MAPPED : ORDER_UNIFORM;
	const bool one_size = !p->varied && (!p->mixed || p->shared_map);
	const bool is_plain = p->files_count == 1 && !p->zoned && !p->pace.both && one_size;

	p->fill = is_plain ? plain[order][p->mixed] : fill_general;
}

uint32_t pattern_unit(const struct job *job)
{
	uint64_t bytes = UINT32_MAX;

	for (int dir = DIR_READ; dir <= DIR_WRITE; dir++) {
		const struct block_split *s = &job->bssplit[dir];

		if (!(job->rw & (RW_READ << dir)))
			continue;
		for (uint32_t i = 0; i < s->count; i++)
			bytes = s->shares[i].bytes < bytes ? s->shares[i].bytes : bytes;
		if (!s->count && job->bs_bytes[dir] < bytes)
			bytes = job->bs_bytes[dir];
	}
	return (uint32_t)bytes;
}

static void init_variety(struct pattern *p, const struct job *job, uint64_t seed)
{
	p->splits = job->bssplit;
	p->unit_bytes = pattern_unit(job);
	p->zipf = p->random && job->distribution.zipf;
	p->theta = job->distribution.theta;
	p->varied = job->bssplit[DIR_READ].count || job->bssplit[DIR_WRITE].count || p->zipf;
	p->mapped = p->random && !job->norandommap && !p->varied;
	p->lengths.state = random_mix(seed + 6);
	pace_init(&p->pace, job, seed);
	p->pace.both = p->pace.both && p->mixed;
}

static void init_from_job(struct pattern *p, const struct job *job, uint64_t seed)
{
	memset(p, 0, sizeof(*p));
	memcpy(p->bs_bytes, job->bs_bytes, sizeof(p->bs_bytes));
	p->random = job->rw & RW_RANDOM;
	p->mixed = (job->rw & RW_READ) && (job->rw & RW_WRITE);
	p->only_dir = job->rw & RW_READ ? DIR_READ : DIR_WRITE;
	if (!p->mixed)
		p->bs_bytes[DIR_READ] = p->bs_bytes[DIR_WRITE] = p->bs_bytes[p->only_dir];
	p->shared_map = p->bs_bytes[DIR_READ] == p->bs_bytes[DIR_WRITE];
	p->zoned = job->zonemode == ZONE_STRIDED;
	p->zone_size = job->zonesize_bytes;
	p->zone_range = job->zonerange_bytes ? job->zonerange_bytes : job->zonesize_bytes;
	p->zone_skip = job->zoneskip_bytes;
	p->read_threshold = ((uint64_t)job->rwmixread_percent << 32) / 100;
	p->directions.state = random_mix(seed + 1);
	p->offsets.state = random_mix(seed + 2);
	p->maps.state = random_mix(seed + 3);
	init_variety(p, job, seed);
	p->trace = job->trace;
	p->ios_left = job->number_ios ? job->number_ios : UINT64_MAX;
	p->loops_left = job->time_based && job->runtime_ns ? UINT64_MAX
			: job->loops ? job->loops : 1;
}

static int check(const struct pattern *p, const struct job *job, struct err *err)
{
	const uint64_t bs = block_max(p);

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
	const uint64_t bs = block_max(p);

	if (extent->size_bytes < bs)
		return err_set(err, -EINVAL, "%s: %llu bytes of file %u hold no block of %llu: "
			       "make size larger or bs smaller", job->name,
			       (unsigned long long)extent->size_bytes, i, (unsigned long long)bs);
	p->cursors[i].extent = *extent;
	p->loop_bytes += extent->size_bytes / bs * bs;
	return 0;
}

uint64_t pattern_loop_bytes(const struct job *job, uint64_t whole)
{
	if (job->io_size.bytes)
		return job->io_size.bytes;
	if (job->io_size.percent)
		return whole / 100 * job->io_size.percent;
	if (job->filesize.max_bytes && job->size.bytes && job->size.bytes < whole)
		return job->size.bytes;
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
	if (job->trace) {
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
