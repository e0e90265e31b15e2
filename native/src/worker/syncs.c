/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/syncs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "stats/clock.h"
#include "worker/account.h"

/* fsync=n wins over fdatasync=n, as the safer of the two. */
static uint32_t sync_every(const struct job *job)
{
	return job->fsync ? job->fsync : job->fdatasync;
}

bool syncs_due(const struct loop *l)
{
	const uint32_t every = sync_every(l->job);

	return every && l->slow.writes_unsynced >= every;
}

/* The next one that was written since the last time. */
uint32_t syncs_file(struct loop *l)
{
	struct slow *s = &l->slow;

	while (!s->dirty[s->sync_file])
		s->sync_file = (s->sync_file + 1) % l->engine.files_count;
	return s->sync_file;
}

/* Every file written since the last time is synced, one I/O each. */
struct pattern_io syncs_next(struct loop *l)
{
	struct slow *s = &l->slow;
	const uint32_t file = syncs_file(l);

	s->dirty[file] = 0;
	if (!--s->dirty_count)
		s->writes_unsynced = 0;
	return (struct pattern_io){ .dir = DIR_SYNC, .file = (uint16_t)file,
				    .data_only = !l->job->fsync };
}

static void note_range(struct byte_range *r, const struct pattern_io *io)
{
	const uint64_t end = io->offset + io->length;

	r->from = !r->to || io->offset < r->from ? io->offset : r->from;
	r->to = end > r->to ? end : r->to;
}

void syncs_note_write(struct loop *l, const struct pattern_io *io)
{
	l->slow.writes_unranged++;
	if (l->slow.ranges)
		note_range(&l->slow.ranges[io->file], io);
	l->slow.writes_unsynced++;
	l->slow.dirty_count += !l->slow.dirty[io->file];
	l->slow.dirty[io->file] = 1;
}

bool syncs_range_due(const struct loop *l)
{
	const uint32_t every = l->job->sync_range.every;

	return every && l->slow.writes_unranged >= every;
}

static void sync_range(struct loop *l, uint32_t file, uint64_t from, uint64_t bytes)
{
	const struct engine_file *f = &l->engine.files[file];
	const uint32_t asked = l->job->sync_range.flags;

	if (f->fd < 0)
		return;
	if (l->iolog)
		account_record(l, &(struct io){
			.dir = DIR_SYNC, .data_only = SYNC_RANGE, .file = (uint16_t)file,
			.offset = from, .length = bytes > UINT32_MAX ? 0 : (uint32_t)bytes,
			.start_ticks = clock_ticks(),
		});
	if (!sync_file_range(f->fd, (off_t)from, (off_t)bytes,
			     asked ? asked : SYNC_FILE_RANGE_WRITE))
		return;
	loop_fail(l, errno);
	worker_error(l->shared, errno, "%s: sync_file_range of '%s' failed: %s", l->job->name,
		     f->path, strerror(errno));
}

uint64_t syncs_range(struct loop *l)
{
	l->slow.writes_unranged = 0;
	for (uint32_t i = 0; i < l->engine.files_count; i++) {
		struct byte_range *r = &l->slow.ranges[i];

		if (r->to)
			sync_range(l, i, r->from, r->to - r->from);
		*r = (struct byte_range){ 0 };
	}
	return clock_ticks();
}

bool syncs_replay(struct loop *l)
{
	const struct pattern_io *planned = &l->planned[l->planned_next];

	if (planned->dir != DIR_SYNC || planned->data_only != SYNC_RANGE)
		return false;
	sync_range(l, planned->file, planned->offset, planned->length);
	l->planned_next++;
	return true;
}
