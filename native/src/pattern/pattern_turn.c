/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/pattern_turn.h"

#include "pattern/pattern_cursor.h"
#include "pattern/pattern_drawn.h"
#include "pattern/pattern_files.h"
#include "pattern/pattern_sequence.h"
#include "pattern/pattern_zbd.h"

static bool take(struct pattern *p, struct pattern_cursor *c, struct pattern_io *io)
{
	pattern_drawn_fit(p, c, io);
	if (p->zbd.on)
		return pattern_zbd_take(p, c, io);
	return p->sequence.on ? pattern_sequence_take(p, c, io) : pattern_cursor_take(p, c, io);
}

/* Offsets that are drawn, and zones, have no end: a file makes room for others when as much as
 * it holds was moved. */
static void make_room(struct pattern *p, uint32_t file, uint32_t length)
{
	struct pattern_cursor *c = &p->cursors[file];

	if (!p->zoned && (!p->random || p->mapped))
		return;
	c->turn_bytes += length;
	if (c->turn_bytes < c->extent.size_bytes)
		return;
	c->turn_bytes = 0;
	pattern_files_rotate(&p->files);
}

/* Of the files that have something left; false: the pass is over. */
bool pattern_turn(struct pattern *p, struct pattern_io *io)
{
	struct pattern_files *files = &p->files;

	if (files->count == 1) {	/* nothing takes turns with it */
		io->file = 0;
		return take(p, &p->cursors[0], io);
	}
	for (;;) {
		const uint32_t file = pattern_files_current(files);

		if (file == PATTERN_NO_FILE)
			return false;
		if (take(p, &p->cursors[file], io)) {
			io->file = (uint16_t)file;
			pattern_files_advance(files);
			if (files->places_count < files->count)
				make_room(p, file, io->length);
			return true;
		}
		pattern_files_drop(files);
	}
}
