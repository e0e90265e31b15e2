/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/filling.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "util/random.h"

enum { PATTERN_MAX = 512, NOISE_WORDS = 1 << 14, NOISE_SEED = 0x10a7e };

/* Noise is made once, and read from one place or another. Each word of a run is turned by the same
 * word of the run's own: no other run has any of them, and a block costs little more than its copy.
 */
static uint64_t noise[2 * NOISE_WORDS + 1];
static pthread_once_t noise_made = PTHREAD_ONCE_INIT;

static void make_noise(void)
{
	struct random words = { NOISE_SEED };

	for (uint32_t i = 0; i < 2 * NOISE_WORDS; i++)
		noise[i] = random_next(&words);
}

/* What processors have registers for. */
typedef uint64_t pair __attribute__((vector_size(16), aligned(1), may_alias));
enum { PAIRS = 16 };		/* at once */

static void fill_run(uint8_t *data, uint32_t length, const uint64_t *words, uint64_t turn)
{
	const uint8_t *from = (const uint8_t *)words, *end = data + length;
	const pair turns = { turn, turn };
	uint8_t rest[sizeof(turn)];

	for (; (size_t)(end - data) >= PAIRS * sizeof(pair); data += PAIRS * sizeof(pair)) {
#pragma GCC unroll 16
		for (int i = 0; i < PAIRS; i++)
			((pair *)data)[i] = ((const pair *)from)[i] ^ turns;
		from += PAIRS * sizeof(pair);
	}
	memcpy(rest, &turn, sizeof(turn));
	for (uint32_t i = 0; data + i < end; i++)
		data[i] = from[i] ^ rest[i % sizeof(turn)];
}

static void fill_noise(const struct verify_block *b, uint64_t seed)
{
	const uint32_t most = NOISE_WORDS * sizeof(*noise);
	struct random places = { seed };

	pthread_once(&noise_made, make_noise);
	for (uint32_t at = 0, run; at < b->length; at += run) {
		const uint64_t *words = noise + random_below(&places, NOISE_WORDS);

		run = b->length - at < most ? b->length - at : most;
		fill_run(b->data + at, run, words, random_next(&places));
	}
}

/* A run of bytes of a block that the pattern has without beginning again. */
struct stretch {
	uint8_t pattern[PATTERN_MAX];	/* with the offset in its places */
	uint32_t begin, end;		/* in the block */
};

/* The one that begins at `at`, a multiple of verify_pattern_interval. */
static void set_stretch(struct stretch *s, const struct job *job, const struct verify_block *b,
			uint32_t at)
{
	const struct byte_pattern *pattern = &job->verify.pattern;
	const uint32_t interval = job->verify.pattern_interval;
	const uint64_t offset = b->offset + at;

	memcpy(s->pattern, pattern->bytes, pattern->length);
	for (uint32_t i = 0; i < pattern->places_count; i++)
		memcpy(s->pattern + pattern->places[i], &offset, sizeof(offset));
	s->begin = at;
	s->end = interval && interval < b->length - at ? at + interval : b->length;
}

static void fill_stretch(const struct stretch *s, uint32_t length, uint8_t *data)
{
	for (uint32_t at = s->begin; at < s->end; at += length)
		memcpy(data + at, s->pattern, s->end - at < length ? s->end - at : length);
}

static void fill_pattern(const struct job *job, const struct verify_block *b)
{
	struct stretch s = { .end = 0 };

	for (uint32_t at = 0; at < b->length; at = s.end) {
		set_stretch(&s, job, b, at);
		fill_stretch(&s, job->verify.pattern.length, b->data);
	}
}

void filling_make(const struct job *job, const struct verify_block *b, uint64_t seed)
{
	if (job->verify.pattern.length)
		fill_pattern(job, b);
	else
		fill_noise(b, seed);
}

/* How many bytes of the stretch differ between `from` and `to`; *first is where. */
static uint32_t count_odd(const struct stretch *s, uint32_t length, const uint8_t *data,
			  uint32_t from, uint32_t to, uint32_t *first)
{
	uint32_t odd = 0;

	from = from > s->begin ? from : s->begin;
	to = to < s->end ? to : s->end;
	for (uint32_t at = from, run; at < to; at += run) {
		const uint32_t phase = (at - s->begin) % length;

		run = to - at < length - phase ? to - at : length - phase;
		for (uint32_t i = 0; memcmp(data + at, s->pattern + phase, run) && i < run; i++) {
			if (data[at + i] == s->pattern[phase + i])
				continue;
			*first = odd++ ? *first : at + i;
		}
	}
	return odd;
}

bool filling_is_pattern(const struct job *job, const struct verify_block *b, uint32_t from,
			uint32_t to, char *text, size_t text_bytes)
{
	const uint32_t length = job->verify.pattern.length;
	struct stretch s = { .end = 0 };

	for (uint32_t at = 0, first = 0; at < to; at = s.end) {
		uint32_t odd;

		set_stretch(&s, job, b, at);
		odd = count_odd(&s, length, b->data, from, to, &first);
		if (!odd)
			continue;
		snprintf(text, text_bytes, "does not match verify_pattern at byte %" PRIu32
			 ": %02x expected, %02x found; %" PRIu32 " bytes differ", first,
			 s.pattern[(first - s.begin) % length], b->data[first], odd);
		return false;
	}
	return true;
}
