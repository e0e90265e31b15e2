/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/pattern_plain.h"

#include "pattern/pattern_cursor.h"

/*
 * The usual case, a single file without zones and one block size: one tight loop
 * an order. It stops before the end of a pass; uniform offsets have none. In a mixed
 * sequential job either direction may be the one that gets there.
 */
enum order { ORDER_SEQUENTIAL, ORDER_MAPPED, ORDER_UNIFORM };

/* How many of n I/Os certainly belong to this pass; begins the next one at its end. */
static inline __attribute__((always_inline))
uint32_t plain_room(struct pattern *p, struct pattern_cursor *c, uint64_t blocks, uint32_t n,
		    enum order order, bool mixed)
{
	const uint64_t *next = c->next;
	const uint64_t done = order == ORDER_MAPPED ? next[DIR_READ]
			      : !mixed ? next[p->only_dir]
			      : next[DIR_READ] > next[DIR_WRITE] ? next[DIR_READ]
			      : next[DIR_WRITE];

	if (order == ORDER_UNIFORM)
		return n;
	if (done == blocks) {
		pattern_pass_begin(p);
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

	n = plain_room(p, c, blocks, n, order, mixed);
	const struct permutation map = c->maps[0];	/* copies: they stay in registers */
	const uint64_t first = c->next[0];
	struct random offsets = p->offsets;
	uint64_t what = pattern_what((uint32_t)bs, p->only_dir);

	for (uint32_t i = 0; i < n; i++) {
		const uint8_t dir = mixed ? pattern_draw_dir(p) : p->only_dir;
		const uint64_t block = order == ORDER_MAPPED ? permutation_at(&map, first + i)
				       : order == ORDER_UNIFORM ? random_below(&offsets, blocks)
				       : c->next[dir]++;

		if (mixed)
			what = pattern_what((uint32_t)bs, dir);
		out[i].offset = start + block * bs;
		out[i].what = what;
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

pattern_filler *pattern_plain(const struct pattern *p)
{
	static pattern_filler *const fillers[3][2] = {
		{ fill_sequential, fill_sequential_mixed },
		{ fill_mapped, fill_mapped_mixed },
		{ fill_uniform, fill_uniform_mixed },
	};
	const enum order order = !p->random ? ORDER_SEQUENTIAL
				 : p->mapped ? ORDER_MAPPED : ORDER_UNIFORM;

	return fillers[order][p->mixed];
}
