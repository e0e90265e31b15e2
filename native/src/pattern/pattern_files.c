/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/pattern_files.h"

#include <errno.h>
#include <stdlib.h>

#include "engines/engine.h"

enum { TRIES = 32 };		/* draws until a place is taken that holds a file */

static uint32_t places_of(const struct job *job, uint32_t count)
{
	const uint32_t open = job->files.open && job->files.open < count ? job->files.open : count;

	return job->files.service.kind == SERVICE_SEQUENTIAL ? 1 : open;
}

int pattern_files_init(struct pattern_files *f, const struct job *job, uint32_t count,
		       uint64_t seed, struct err *err)
{
	*f = (struct pattern_files){
		.service = job->files.service, .count = count, .draws = { random_mix(seed + 7) },
		.places_count = places_of(job, count),
	};
	f->service.ios += !f->service.ios;
	f->places = calloc(f->places_count + 1u, sizeof(*f->places));
	if (!f->places)
		return err_set(err, -ENOMEM, "%s: no memory for %u files", job->name, count);
	skewed_init(&f->skewed, &f->service.skew, f->places_count, &f->draws);
	permutation_init(&f->order, count, &f->draws);
	pattern_files_begin(f);
	return 0;
}

void pattern_files_release(struct pattern_files *f)
{
	free(f->places);
	f->places = NULL;
}

static bool in_order(const struct pattern_files *f)
{
	return f->service.kind == SERVICE_ROUND_ROBIN || f->service.kind == SERVICE_SEQUENTIAL;
}

/* Those that wait come in order, or in any order where they have no turns. */
static uint32_t next_file(struct pattern_files *f)
{
	if (f->next == f->count)
		return PATTERN_NO_FILE;
	f->next++;
	return in_order(f) || f->places_count == f->count ? f->next - 1
			      : (uint32_t)permutation_at(&f->order, f->next - 1);
}

static uint32_t draw(struct pattern_files *f)
{
	return (uint32_t)skewed_draw(&f->skewed, &f->draws);
}

static uint32_t after(const struct pattern_files *f, uint32_t place)
{
	return place + 1 == f->places_count ? 0 : place + 1;
}

/* The next turn: of the place that follows, or of one that is drawn. */
static void turn(struct pattern_files *f)
{
	uint32_t place = in_order(f) ? after(f, f->place) : draw(f);

	for (int i = 0; i < TRIES && !in_order(f) && f->places[place] == PATTERN_NO_FILE; i++)
		place = draw(f);
	for (uint32_t i = 0; i < f->places_count && f->places[place] == PATTERN_NO_FILE; i++)
		place = after(f, place);
	f->place = place;
	f->left = f->service.ios;
}

void pattern_files_begin(struct pattern_files *f)
{
	f->next = 0;
	for (uint32_t i = 0; i < f->places_count; i++)
		f->places[i] = next_file(f);
	f->taken = f->places_count;
	f->place = f->places_count ? f->places_count - 1 : 0;
	if (f->places_count)
		turn(f);
}

uint32_t pattern_files_current(struct pattern_files *f)
{
	if (!f->taken)
		return PATTERN_NO_FILE;
	if (!f->left)
		turn(f);
	return f->places[f->place];
}

void pattern_files_advance(struct pattern_files *f)
{
	f->left -= f->service.kind != SERVICE_SEQUENTIAL;
}

void pattern_files_drop(struct pattern_files *f)
{
	f->places[f->place] = next_file(f);
	if (f->places[f->place] != PATTERN_NO_FILE)
		f->left = f->service.ios;
	else if (--f->taken)
		turn(f);
}

bool pattern_files_has(const struct pattern_files *f, uint32_t file)
{
	for (uint32_t i = 0; i < f->places_count; i++) {
		if (f->places[i] == file)
			return true;
	}
	return false;
}

void pattern_files_rotate(struct pattern_files *f)
{
	uint32_t file;

	do {
		f->next = f->next == f->count ? 0 : f->next;
		file = next_file(f);
	} while (pattern_files_has(f, file));
	f->places[f->place] = file;
}
