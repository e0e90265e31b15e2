/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/loop_verify.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "pattern/content.h"
#include "stats/clock.h"
#include "util/random.h"
#include "worker/loop_trims.h"
#include "worker/verify_dump.h"
#include "worker/verify_state.h"

enum { LAST_MAX = 1 << 16 };	/* writes in flight that a state is kept of */

/* What a job never looks at again need not be kept: with time_based, only the time ends it. */
static bool looks_again(const struct job *job)
{
	return job->verify.method && job->verify.at_end && job->rw & RW_WRITE &&
	       (job->verify.backlog || !job->time.based);
}

/* verify_policy of a job that writes; with O_SYNC or O_DSYNC, each write is safe. */
static bool judged_by_syncs(const struct job *job)
{
	return job->verify.method && job->verify.policy == POLICY_FSYNCED && job->rw & RW_WRITE &&
	       !job->verify.only && !job->verify.state_load && job->sync == SYNC_NONE;
}

/* In any thread. */
static int look(const struct verify *v, const struct verify_block *b, const char *path,
		struct verify_fault *fault)
{
	const int code = verify_check(v, b, fault);

	if (code && v->job->verify.dump && *path)
		verify_dump(v, b, fault, path);
	return code;
}

static int start_threads(struct loop *l)
{
	struct checking *c = &l->slow.checking;
	const struct verify_threads_asked asked = {
		.verify = &c->verify, .count = l->job->verify.async,
		.cpus = &l->job->verify.async_cpus, .block_bytes = l->engine.buffer_bytes,
		.look = look,
	};

	if (!asked.count)
		return 0;
	c->threads = verify_threads_new(&asked);
	return c->threads ? 0 : -ENOMEM;
}

/* The last writes: with all of them in flight, the others are done. */
static int keep_state(struct loop *l)
{
	struct verify_state *s = &l->slow.checking.state;
	const uint64_t flying = (uint64_t)l->engine.depth * l->engine.files_count;

	if (!l->job->verify.state_save || !(l->job->rw & RW_WRITE) || l->job->verify.only)
		return 0;
	s->depth = l->engine.depth;
	s->files = l->engine.files_count;
	snprintf(s->name, sizeof(s->name), "%s", l->job->name);
	if (flying > LAST_MAX)
		return 0;
	s->last = calloc(flying + 1, sizeof(*s->last));
	return s->last ? 0 : -ENOMEM;
}

static int load_state(struct loop *l)
{
	struct err err = { 0 };

	if (!l->job->verify.state_load)
		return 0;
	if (verify_state_load(l->job, l->index, &l->slow.checking.limit, &err))
		worker_error(l->shared, -err.code, "%s", err.text);
	return err.code;
}

static void note_state(struct loop *l, const struct written_block *block)
{
	struct verify_state *s = &l->slow.checking.state;
	const uint64_t flying = (uint64_t)s->depth * s->files;

	if (!s->last || !flying)
		return;
	s->last[s->writes++ % flying] = (struct state_place){ block->file, block->offset };
	s->last_count = s->writes < flying ? (uint32_t)s->writes : (uint32_t)flying;
}

/* Of verify_policy=fsynced: what is safe is, whatever was in flight then. */
static struct verify_state safe_state(const struct checking *c)
{
	struct verify_state s = c->state;

	s.writes = c->synced;
	s.depth = 0;
	s.last_count = 0;
	return s;
}

void loop_verify_save(const struct loop *l)
{
	const struct checking *c = &l->slow.checking;
	const struct verify_state s = c->by_sync ? safe_state(c) : c->state;

	if (s.last && !engine_is_diskless(l->engine.ops))
		verify_state_save(l->job, l->index, &s);
}

/* Whether a loaded state says that it was written. */
static bool was_written(const struct loop *l, uint64_t number, uint32_t file, uint64_t offset)
{
	return !l->job->verify.state_load ||
	       state_has(&l->slow.checking.limit, number, file, offset);
}

static bool is_looked_at(const struct loop *l, const struct written_block *block)
{
	const struct checking *c = &l->slow.checking;

	if (block->trimmed)
		return l->job->verify.trim_zero;
	return (!c->by_sync || block->index < c->synced) &&
	       was_written(l, block->index, block->file, block->offset);
}

bool loop_verify_reads(struct loop *l, const struct pattern_io *planned)
{
	struct checking *c = &l->slow.checking;

	if (!l->job->verify.state_load || l->job->rw & RW_WRITE || planned->dir != DIR_READ)
		return true;
	return was_written(l, c->looked, planned->file, planned->offset);
}

int loop_verify_init(struct loop *l)
{
	const struct job *job = l->job;
	struct checking *c = &l->slow.checking;
	int code;

	*c = (struct checking){ .verify = {
		.job = job, .run = random_mix(clock_unix_ms() ^ l->seed) | 1,
		.begin_ns = clock_monotonic_ns(), .thread = (uint16_t)(l->target->clone + 1),
	} };
	c->keeps = looks_again(job);
	loop_trims_init(l);
	c->by_sync = judged_by_syncs(job);
	if (!job->verify.method)
		return 0;
	c->slots = calloc(l->engine.depth, sizeof(*c->slots));
	if (!c->slots || keep_state(l))
		return -ENOMEM;
	code = load_state(l);
	return code ? code : start_threads(l);
}

void loop_verify_release(struct loop *l)
{
	verify_threads_free(l->slow.checking.threads);
	l->slow.checking.threads = NULL;
	free(l->slow.checking.state.last);
	free(l->slow.checking.limit.last);
	written_release(&l->slow.checking.written);
	loop_trims_release(l);
	free(l->slow.checking.slots);
	l->slow.checking.slots = NULL;
}

static struct verify_block block_of(const struct loop *l, const struct io *io)
{
	const uint32_t moved = (uint32_t)((char *)io->buffer - (char *)io->home);

	return (struct verify_block){
		.data = io->home, .offset = io->offset - moved, .length = io->length + moved,
		.file = io->file, .number = (uint16_t)l->slow.checking.slots[io->slot].index,
		.ours = l->slow.checking.on && !l->job->verify.only,
		.filled = content_is_written(l->job),
		.trimmed = l->slow.checking.on && l->slow.checking.slots[io->slot].trimmed,
	};
}

void loop_verify_seal(struct loop *l, struct io *io)
{
	struct checking *c = &l->slow.checking;
	struct written_block *block = &c->slots[io->slot];
	struct verify_block b;

	*block = (struct written_block){ .offset = io->offset, .length = io->length,
					 .index = c->written.index, .file = io->file };
	b = block_of(l, io);
	verify_seal(&c->verify, &b, clock_monotonic_ns());
	note_state(l, block);
	if (!c->keeps) {
		c->written.index++;
		return;
	}
	if (written_add(&c->written, block))
		loop_fail(l, ENOMEM);
	loop_trims_choose(l, block);
}

void loop_verify_note(struct loop *l, const struct pattern_io *planned)
{
	const struct written_block block = { .offset = planned->offset,
					     .length = planned->length, .file = planned->file };
	struct checking *c = &l->slow.checking;

	if (planned->dir == DIR_WRITE && c->keeps && written_add(&c->written, &block))
		loop_fail(l, ENOMEM);
}

static uint32_t backlog_batch(const struct loop *l)
{
	const uint64_t backlog = l->job->verify.backlog, batch = l->job->verify.backlog_batch;

	return (uint32_t)(batch ? batch : backlog);
}

bool loop_verify_due(const struct loop *l)
{
	const struct checking *c = &l->slow.checking;
	const uint64_t backlog = l->job->verify.backlog;

	return c->new_loop || loop_trims_due(l) ||
	       (c->keeps && backlog && c->written.index - c->looked_index >= backlog);
}

void loop_verify_new_loop(struct loop *l)
{
	l->slow.checking.new_loop = l->slow.checking.keeps && !l->job->time.based;
}

bool loop_verify_next(struct loop *l, struct pattern_io *next)
{
	struct checking *c = &l->slow.checking;

	const struct written_block *block = c->left ? written_next(&c->written) : NULL;

	while (block && !is_looked_at(l, block)) {
		c->written.first++;
		block = written_next(&c->written);
	}
	if (block)
		*next = (struct pattern_io){ .offset = block->offset, .length = block->length,
					     .file = block->file, .dir = DIR_READ };
	return block;
}

void loop_verify_take(struct loop *l, const struct io *io)
{
	struct checking *c = &l->slow.checking;

	c->slots[io->slot] = *written_next(&c->written);
	c->written.first++;
	c->left--;
}

/* The deadline is not for the last look: a job whose time is up does not come here. */
static void last_look(struct loop *l)
{
	struct slow *s = &l->slow;

	s->checking.ended = true;
	s->think_left = UINT64_MAX;
	s->think_ticks = UINT64_MAX;
	s->pace_ticks = UINT64_MAX;
	s->search.end_ticks = UINT64_MAX;
	l->event_ticks = UINT64_MAX;
}

static void begin_look(struct loop *l, uint32_t most)
{
	struct checking *c = &l->slow.checking;

	written_sort(&c->written);
	c->left = most;
	c->on = true;
	l->shared->verifying = true;
	c->begin_ticks = clock_ticks();
}

static void end_look(struct loop *l)
{
	struct checking *c = &l->slow.checking;

	c->on = false;
	l->shared->verifying = false;
	c->ticks += clock_ticks() - c->begin_ticks;
	c->looked_index = c->written.index - written_left(&c->written);
}

bool loop_verify_turn(struct loop *l)
{
	struct checking *c = &l->slow.checking;

	if (loop_trims_turn(l))
		return true;
	if (c->on) {
		end_look(l);
		return !c->ended;
	}
	if (!c->keeps || l->error)
		return false;
	if (!loop_verify_due(l))
		last_look(l);
	begin_look(l, c->new_loop || c->ended ? UINT32_MAX : backlog_batch(l));
	c->new_loop = false;
	return true;
}

static const char *path_of(const struct loop *l, const struct io *io)
{
	return l->engine.files_count ? l->engine.files[io->file].path : "";
}

bool loop_verify_look(struct loop *l, const struct io *io, struct verify_found *found)
{
	const struct verify_block b = block_of(l, io);
	struct verify_threads *threads = l->slow.checking.threads;
	bool news;

	if (!threads) {
		found->path = path_of(l, io);
		return look(&l->slow.checking.verify, &b, found->path, &found->fault);
	}
	if (verify_threads_give(threads, &b, path_of(l, io)))
		return false;
	news = verify_threads_found(threads, found);
	verify_threads_give(threads, &b, path_of(l, io));
	return news;
}

bool loop_verify_found(struct loop *l, struct verify_found *found, bool all)
{
	struct verify_threads *threads = l->slow.checking.threads;

	if (!threads)
		return false;
	if (all)
		verify_threads_wait(threads);
	return verify_threads_found(threads, found);
}

void loop_verify_failed(struct loop *l, const struct io *io)
{
	struct checking *c = &l->slow.checking;

	if (c->keeps && !c->on && io->dir == DIR_WRITE)
		written_forget(&c->written, c->slots[io->slot].index);
}

/* Writes that are done when a sync is issued: those before the first one in flight. */
static uint32_t writes_done(const struct loop *l)
{
	const struct checking *c = &l->slow.checking;
	uint32_t first = c->written.index;

	for (uint32_t i = 0; i < l->engine.depth; i++) {
		if (c->slots[i].length && c->slots[i].index < first)
			first = c->slots[i].index;
	}
	return first;
}

void loop_verify_sync(struct loop *l)
{
	struct checking *c = &l->slow.checking;

	if (!c->by_sync)
		return;
	if (!c->round)
		c->covers = writes_done(l);
	c->round = l->slow.dirty_count > 1;
	c->syncing++;
}

void loop_verify_done(struct loop *l, const struct io *io)
{
	struct checking *c = &l->slow.checking;

	if (!c->by_sync)
		return;
	if (io->dir != DIR_SYNC) {
		if (io->result < 0 || io->result == (int32_t)io->length)
			c->slots[io->slot].length = 0;
		return;
	}
	if (io->result < 0)
		c->covers = c->synced;
	if (!--c->syncing && !c->round)
		c->synced = c->covers;
}
