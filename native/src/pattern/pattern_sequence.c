/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/pattern_sequence.h"

static bool is_all_random(const struct job *job)
{
	JOB_DIRS(dir, job)
		if (job->random_percent[dir] < 100)
			return false;
	return true;
}

void pattern_sequence_init(struct pattern *p, const struct job *job)
{
	p->sequence = (struct pattern_sequence){
		.on = job->sequence.step && !p->zoned,
		.identical = job->sequence.kind == SEQUENCE_IDENTICAL,
		.step = job->sequence.step,
	};
	p->sequence.on = p->sequence.on && (!p->random || p->sequence.step > 1);
	if (!p->random || p->zoned || is_all_random(job))
		return;
	p->sequence.on = true;
	p->sequence.random_percent = job->random_percent;
}

/* Where the block after one that ended at `end` begins; past any end: nowhere. */
static uint64_t after(const struct pattern *p, const struct pattern_cursor *c, uint64_t end)
{
	const int64_t size = (int64_t)c->extent.size_bytes, step = p->sequence.step;
	const int64_t next = (int64_t)end + step;

	if (end == c->extent.size_bytes && step > 0)
		return UINT64_MAX;
	if (next >= size)
		return 0;
	if (next >= 0)
		return (uint64_t)next;
	return size + step >= 0 ? (uint64_t)(size + step) : UINT64_MAX;
}

static bool take_gapped(struct pattern *p, struct pattern_cursor *c, const struct pattern_io *io,
			uint64_t *start)
{
	const bool fits = c->next[io->dir] <= c->extent.size_bytes &&
			  io->length <= c->extent.size_bytes - c->next[io->dir];

	*start = c->next[io->dir];
	if (fits)
		c->next[io->dir] = after(p, c, *start + io->length);
	return fits;
}

static bool is_random_due(struct pattern *p, uint8_t dir)
{
	struct pattern_sequence *s = &p->sequence;

	if (s->random_percent)
		return random_below(&p->places, 100) < s->random_percent[dir];
	return s->taken++ % (uint64_t)s->step == 0;
}

static bool never_random(const struct pattern_sequence *s, uint8_t dir)
{
	return s->random_percent && !s->random_percent[dir];
}

/* A new place when it is time, or when the next block would reach past the end. */
static bool take_random(struct pattern *p, struct pattern_cursor *c, const struct pattern_io *io,
			uint64_t *start)
{
	struct pattern_sequence *s = &p->sequence;
	uint64_t *at = &c->sequence_at[io->dir];
	const bool is_due = is_random_due(p, io->dir);

	if (never_random(s, io->dir) && *at + io->length > c->extent.size_bytes)
		*at = 0;
	if ((is_due || *at + io->length > c->extent.size_bytes) &&
	    !pattern_cursor_place(p, c, io, at)) {
		s->taken--;
		return false;
	}
	*start = *at;
	*at += s->identical ? 0 : io->length;
	return true;
}

bool pattern_sequence_take(struct pattern *p, struct pattern_cursor *c, struct pattern_io *io)
{
	uint64_t start = 0;

	if (c->done)
		return false;
	c->done = !(p->random ? take_random(p, c, io, &start) : take_gapped(p, c, io, &start));
	p->files_done += c->done;
	if (c->done)
		return false;
	io->offset = c->extent.start_bytes + start;
	return true;
}
