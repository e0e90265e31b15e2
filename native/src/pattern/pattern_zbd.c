/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/pattern_zbd.h"

#include <errno.h>
#include <stdlib.h>

#include "pattern/pattern_cursor.h"
#include "pattern/pattern_fit.h"

/* What zones of one file hold; open ones are written in part. */
struct zbd_file {
	uint64_t zones, filled_bytes;
	uint64_t pass;				/* that `at` is of */
	uint64_t at[DIR_DATA_COUNT];		/* of sequential I/O, from the extent's start */
	uint32_t open_count;
	uint32_t *open;
	uint64_t *written;			/* bytes of each zone, from its start */
};

void pattern_zbd_init(struct pattern *p, const struct job *job, uint64_t seed)
{
	struct pattern_zbd *z = &p->zbd;
	const uint32_t own = job->zones.job_max_open, most = job->zones.max_open;

	z->zone_bytes = job->zones.size_bytes;
	z->capacity = job->zones.capacity_bytes ? job->zones.capacity_bytes : z->zone_bytes;
	z->skip_bytes = job->zones.skip.bytes;
	z->max_open = own && own < most ? own : most;
	z->beyond = job->zones.read_beyond;
	z->remainder = job->zones.write_remainder;
	z->threshold = job->zones.reset_threshold;
	if (z->threshold > 0 && job->zones.reset_frequency > 0)
		z->reset_period = (uint64_t)(1 / job->zones.reset_frequency);
	z->draws.state = random_mix(seed + 9);
}

int pattern_zbd_fit(struct pattern_cursor *c, const struct job *job, struct err *err)
{
	struct zbd_file *f;

	c->extent = pattern_fit_zones(job, &c->extent);
	f = c->zbd = calloc(1, sizeof(*f));
	if (f) {
		f->zones = c->extent.size_bytes / job->zones.size_bytes;
		f->written = calloc(f->zones, sizeof(*f->written));
		f->open = calloc(job->zones.max_open + 1u, sizeof(*f->open));
	}
	if (!f || !f->written || !f->open)
		return err_set(err, -ENOMEM, "%s: no memory for %llu zones", job->name,
			       (unsigned long long)(c->extent.size_bytes / job->zones.size_bytes));
	return 0;
}

void pattern_zbd_release(struct pattern_cursor *c)
{
	if (!c->zbd)
		return;
	free(c->zbd->open);
	free(c->zbd->written);
	free(c->zbd);
	c->zbd = NULL;
}

/* Each pass begins with the first zone. */
static void rewind_file(struct zbd_file *f, uint64_t pass)
{
	if (f->pass == pass)
		return;
	f->pass = pass;
	for (unsigned dir = 0; dir < DIR_DATA_COUNT; dir++)
		f->at[dir] = 0;
}

/* So few that the list is looked through; it is kept only where there is a limit. */
static uint32_t place_of(const struct zbd_file *f, uint64_t zone)
{
	uint32_t i = 0;

	while (i < f->open_count && f->open[i] != zone)
		i++;
	return i;
}

static void close_zone(struct zbd_file *f, uint64_t zone)
{
	const uint32_t place = place_of(f, zone);

	if (place < f->open_count)
		f->open[place] = f->open[--f->open_count];
}

static void reset(struct zbd_file *f, uint64_t zone)
{
	f->filled_bytes -= f->written[zone];
	f->written[zone] = 0;
	close_zone(f, zone);
}

/* Every so many writes a zone is emptied, while more than a part of all is filled. */
static bool reset_is_due(struct pattern *p, const struct zbd_file *f)
{
	struct pattern_zbd *z = &p->zbd;

	if (!z->reset_period ||
	    (double)f->filled_bytes < z->threshold * (double)(f->zones * z->capacity))
		return false;
	if (++z->writes < z->reset_period)
		return false;
	z->writes = 0;
	return true;
}

/* As fio does: where blocks have several sizes, one is cut to what is left, in whole smallest
 * ones. 0: nothing fits. */
static uint32_t cut(const struct pattern *p, uint64_t left, uint32_t length)
{
	const uint64_t whole = p->unaligned ? left : left - left % p->unit_bytes;

	if (length <= left)
		return length;
	return p->varied && whole >= p->unit_bytes ? (uint32_t)whole : 0;
}

static uint32_t cut_write(const struct pattern *p, uint64_t left, uint32_t length)
{
	return length > left && p->zbd.remainder ? (uint32_t)left : cut(p, left, length);
}

/* What fits of an I/O behind what a zone holds; 0: the zone is full. */
static uint32_t fitting(const struct pattern *p, const struct zbd_file *f, uint64_t zone,
			uint32_t length)
{
	return cut_write(p, p->zbd.capacity - f->written[zone], length);
}

static void write_zone(struct pattern *p, struct pattern_cursor *c, struct pattern_io *io,
		       uint64_t zone)
{
	struct zbd_file *f = c->zbd;

	if (!fitting(p, f, zone, io->length) || reset_is_due(p, f))
		reset(f, zone);
	io->length = fitting(p, f, zone, io->length);
	io->offset = c->extent.start_bytes + zone * p->zbd.zone_bytes + f->written[zone];
	f->written[zone] += io->length;
	f->filled_bytes += io->length;
	if (!p->zbd.max_open)
		return;
	if (!fitting(p, f, zone, (uint32_t)p->bs_bytes[DIR_WRITE]))
		close_zone(f, zone);
	else if (place_of(f, zone) == f->open_count)
		f->open[f->open_count++] = (uint32_t)zone;
}

/* The zone that was drawn, or one of the open ones when no other may be opened. */
static uint64_t writable(struct pattern *p, const struct zbd_file *f, uint64_t zone)
{
	if (!p->zbd.max_open || f->open_count < p->zbd.max_open ||
	    place_of(f, zone) < f->open_count)
		return zone;
	return f->open[random_below(&p->zbd.draws, f->open_count)];
}

/* A block of what the zone holds, or of the next one that holds as much. */
static bool read_written(struct pattern *p, struct pattern_cursor *c, struct pattern_io *io,
			 uint64_t start)
{
	const struct zbd_file *f = c->zbd;
	const uint64_t size = p->zbd.zone_bytes;
	uint64_t zone = start / size, past = start % size, tries = 0;

	while (f->written[zone] < io->length && ++tries <= f->zones)
		zone = zone + 1 == f->zones ? 0 : zone + 1;
	if (f->written[zone] < io->length)
		return false;
	if (tries || past > f->written[zone] - io->length)
		past = random_below(&p->zbd.draws, f->written[zone] / io->length) * io->length;
	io->offset = c->extent.start_bytes + zone * size + past;
	return true;
}

static bool take_random(struct pattern *p, struct pattern_cursor *c, struct pattern_io *io)
{
	const uint64_t size = p->zbd.zone_bytes;
	uint64_t start;

	if (!pattern_cursor_place(p, c, io, &start))
		return false;
	if (io->dir == DIR_WRITE) {
		write_zone(p, c, io, writable(p, c->zbd, start / size));
		return true;
	}
	if (!p->zbd.beyond)
		return read_written(p, c, io, start);
	if (start % size + io->length > size)
		start -= start % size + io->length - size;
	io->offset = c->extent.start_bytes + start;
	return true;
}

/* How far sequential I/O goes in a zone: writes to its capacity, reads to what was written. */
static uint64_t end_of(const struct pattern *p, const struct zbd_file *f, uint64_t zone,
		       uint8_t dir)
{
	if (dir == DIR_WRITE)
		return p->zbd.capacity;
	return p->zbd.beyond ? p->zbd.zone_bytes : f->written[zone];
}

/* The beginning of the next zone; with zoneskip the first one follows the last. */
static bool next_zone(const struct pattern *p, const struct pattern_cursor *c, uint64_t *at)
{
	const uint64_t size = p->zbd.zone_bytes, skip = p->zbd.skip_bytes;

	*at = *at / size * size + size;
	if (*at < c->extent.size_bytes && skip < c->extent.size_bytes - *at) {
		*at += skip;
		return true;
	}
	*at = skip ? 0 : c->extent.size_bytes;
	return skip;
}

static bool take_sequential(struct pattern *p, struct pattern_cursor *c, struct pattern_io *io)
{
	const uint64_t size = p->zbd.zone_bytes;
	uint64_t *at = &c->zbd->at[io->dir];

	for (uint64_t tries = 0; tries <= c->zbd->zones && *at < c->extent.size_bytes; tries++) {
		const uint64_t zone = *at / size, end = end_of(p, c->zbd, zone, io->dir);
		const bool writes = io->dir == DIR_WRITE;
		const uint64_t left = *at % size < end ? end - *at % size : 0;
		const uint32_t length = writes ? cut_write(p, left, io->length)
					       : cut(p, left, io->length);

		if (length) {
			io->length = length;
			if (writes && !(*at % size) && c->zbd->written[zone])
				reset(c->zbd, zone);
			io->offset = c->extent.start_bytes + *at;
			if (writes)
				write_zone(p, c, io, zone);
			*at = io->offset - c->extent.start_bytes + io->length;
			if (*at % size == 0 || *at % size >= end) {
				*at -= 1;
				next_zone(p, c, at);
			}
			return true;
		}
		if (!next_zone(p, c, at))
			return false;
	}
	return false;
}

bool pattern_zbd_take(struct pattern *p, struct pattern_cursor *c, struct pattern_io *io)
{
	uint32_t rest;

	if (c->done)
		return false;
	rewind_file(c->zbd, p->passes);
	if (p->mixed && !p->zbd.beyond && !c->zbd->filled_bytes && io->dir == DIR_READ) {
		io->dir = DIR_WRITE;
		io->length = (uint32_t)p->bs_bytes[DIR_WRITE];
	}
	rest = cut(p, p->loop_left, io->length);
	io->length = rest ? rest : io->length;
	c->done = !(p->random ? take_random(p, c, io) : take_sequential(p, c, io));
	p->files_done += c->done;
	p->zbd.has_moved = p->zbd.has_moved || !c->done;
	return !c->done;
}
