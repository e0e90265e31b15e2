/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/loop_trims.h"

#include <errno.h>

enum { ALL_PERCENT = 100 };

void loop_trims_init(struct loop *l)
{
	l->slow.checking.trims.draws.state = random_mix(l->seed + 1);
}

void loop_trims_release(struct loop *l)
{
	written_release(&l->slow.checking.trims.chosen);
}

void loop_trims_choose(struct loop *l, const struct written_block *block)
{
	struct trimming *t = &l->slow.checking.trims;

	if (!job_trims_after_writes(l->job) ||
	    random_below(&t->draws, ALL_PERCENT) >= l->job->verify.trim_percent)
		return;
	if (written_add(&t->chosen, block))
		loop_fail(l, ENOMEM);
}

bool loop_trims_due(const struct loop *l)
{
	const struct checking *c = &l->slow.checking;

	return written_left(&c->trims.chosen) &&
	       c->written.index - c->trims.done_index >= l->job->verify.trim_backlog;
}

bool loop_trims_turn(struct loop *l)
{
	const uint64_t batch = l->job->verify.trim_batch;
	struct checking *c = &l->slow.checking;

	if (c->trims.on) {
		c->trims.on = false;
		return true;
	}
	if (c->on || c->ended || l->error || !loop_trims_due(l))
		return false;
	c->trims.on = true;
	c->trims.left = batch ? batch : l->job->verify.trim_backlog;
	c->trims.done_index = c->written.index;
	return true;
}

bool loop_trims_next(const struct loop *l, struct pattern_io *next)
{
	const struct trimming *t = &l->slow.checking.trims;
	const struct written_block *block = t->left ? written_next(&t->chosen) : NULL;

	if (block)
		*next = (struct pattern_io){ .offset = block->offset, .length = block->length,
					     .file = block->file, .dir = DIR_TRIM };
	return block;
}

void loop_trims_take(struct loop *l)
{
	struct checking *c = &l->slow.checking;

	if (written_add_trimmed(&c->written, written_next(&c->trims.chosen)))
		loop_fail(l, ENOMEM);
	c->trims.chosen.first++;
	c->trims.left--;
	l->slow.trims++;
}
