/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/verify_threads.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES_EACH = 4 };	/* blocks that wait or are looked at, by thread */

struct place {
	enum { PLACE_FREE, PLACE_WAITS, PLACE_LOOKED_AT, PLACE_DAMAGED } state;
	struct verify_block block;
	struct verify_found found;
	uint8_t *data;
};

struct verify_threads {
	struct verify_threads_asked asked;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool over;
	struct place *places;
	uint32_t places_count;
	pthread_t *threads;
	uint32_t running;
	uint32_t busy;			/* places that wait or are looked at */
};

static struct place *place_of(struct verify_threads *t, int state)
{
	for (uint32_t i = 0; i < t->places_count; i++) {
		if ((int)t->places[i].state == state)
			return &t->places[i];
	}
	return NULL;
}

static void look(struct verify_threads *t, struct place *place)
{
	int code;

	place->state = PLACE_LOOKED_AT;
	pthread_mutex_unlock(&t->lock);
	code = t->asked.look(t->asked.verify, &place->block, place->found.path,
			     &place->found.fault);
	pthread_mutex_lock(&t->lock);
	place->state = code ? PLACE_DAMAGED : PLACE_FREE;
	t->busy--;
	pthread_cond_broadcast(&t->changed);
}

static void *run(void *context)
{
	struct verify_threads *t = context;

	cpus_keep_to(t->asked.cpus);
	pthread_mutex_lock(&t->lock);
	while (!t->over) {
		struct place *place = place_of(t, PLACE_WAITS);

		if (place)
			look(t, place);
		else
			pthread_cond_wait(&t->changed, &t->lock);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

static bool make(struct verify_threads *t)
{
	for (uint32_t i = 0; t->places && i < t->places_count; i++) {
		t->places[i].data = malloc(t->asked.block_bytes);
		if (!t->places[i].data)
			return false;
	}
	for (uint32_t i = 0; t->places && t->threads && i < t->asked.count; i++) {
		if (pthread_create(&t->threads[i], NULL, run, t))
			return false;
		t->running++;
	}
	return t->places && t->threads;
}

struct verify_threads *verify_threads_new(const struct verify_threads_asked *asked)
{
	struct verify_threads *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	*t = (struct verify_threads){ .asked = *asked, .places_count = asked->count * PLACES_EACH };
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->changed, NULL);
	t->places = calloc(t->places_count, sizeof(*t->places));
	t->threads = calloc(asked->count, sizeof(*t->threads));
	if (make(t))
		return t;
	verify_threads_free(t);
	return NULL;
}

bool verify_threads_give(struct verify_threads *t, const struct verify_block *b,
			 const char *path)
{
	struct place *place;

	pthread_mutex_lock(&t->lock);
	while (!(place = place_of(t, PLACE_FREE)) && t->busy)
		pthread_cond_wait(&t->changed, &t->lock);
	if (!place) {
		pthread_mutex_unlock(&t->lock);
		return false;
	}
	memcpy(place->data, b->data, b->length);
	place->block = *b;
	place->block.data = place->data;
	place->found.path = path;
	place->state = PLACE_WAITS;
	t->busy++;
	pthread_cond_broadcast(&t->changed);
	pthread_mutex_unlock(&t->lock);
	return true;
}

void verify_threads_wait(struct verify_threads *t)
{
	pthread_mutex_lock(&t->lock);
	while (t->busy)
		pthread_cond_wait(&t->changed, &t->lock);
	pthread_mutex_unlock(&t->lock);
}

bool verify_threads_found(struct verify_threads *t, struct verify_found *found)
{
	struct place *place;

	pthread_mutex_lock(&t->lock);
	place = place_of(t, PLACE_DAMAGED);
	if (place) {
		*found = place->found;
		place->state = PLACE_FREE;
	}
	pthread_mutex_unlock(&t->lock);
	return place;
}

void verify_threads_free(struct verify_threads *t)
{
	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	t->over = true;
	pthread_cond_broadcast(&t->changed);
	pthread_mutex_unlock(&t->lock);
	for (uint32_t i = 0; i < t->running; i++)
		pthread_join(t->threads[i], NULL);
	for (uint32_t i = 0; t->places && i < t->places_count; i++)
		free(t->places[i].data);
	pthread_mutex_destroy(&t->lock);
	pthread_cond_destroy(&t->changed);
	free(t->places);
	free(t->threads);
	free(t);
}
