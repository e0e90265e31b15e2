/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/content.h"

#include <string.h>

/* Of what jobs share, whatever their seeds are. */
static const uint64_t GLOBAL_BASE = 0x1f83d9abfb41bd6b;

bool content_is_made(const struct job *job)
{
	return job->buffers.zero || job->buffers.refill || job->buffers.pattern.length ||
	       job->buffers.compress_percent || job->dedupe.percent;
}

bool content_is_written(const struct job *job)
{
	const bool is_plain = !job->buffers.zero && !job->buffers.pattern.length &&
			      !job->buffers.compress_percent && !job->dedupe.percent;

	if (job->verify.method && (job->verify.pattern.length || is_plain))
		return false;
	return content_is_made(job);
}

bool content_is_zero(const struct job *job)
{
	return job->buffers.zero && !job->buffers.pattern.length &&
	       !job->buffers.compress_percent && !job->dedupe.percent;
}

void content_init(struct content *c, const struct job *job, uint64_t seed, uint32_t clone)
{
	*c = (struct content){ .job = job, .noise = { seed }, .choices = { ~seed },
			       .base = job->dedupe.global ? GLOBAL_BASE : seed };
	if (job->dedupe.global)
		c->unique = job->dedupe.first_sharer + clone;
}

static void fill_noise(struct random *noise, unsigned char *at, uint32_t length)
{
	for (uint32_t i = 0; i < length; i += sizeof(uint64_t)) {
		const uint64_t word = random_next(noise);
		const uint32_t left = length - i;

		memcpy(at + i, &word, left < sizeof(word) ? left : sizeof(word));
	}
}

/* Bytes that repeat, or zeros; `from` is their place in the block. */
static void fill_fixed(const struct job *job, unsigned char *at, uint32_t from, uint32_t length)
{
	const struct byte_pattern *p = &job->buffers.pattern;

	if (!p->length) {
		memset(at, 0, length);
		return;
	}
	for (uint32_t i = 0; i < length; i++)
		at[i] = p->bytes[(from + i) % p->length];
}

/* Each chunk begins with noise and ends with what compresses. */
static void fill_mixed(const struct job *job, struct random *noise, unsigned char *at,
		       uint32_t length)
{
	const uint32_t asked = job->buffers.compress_chunk;
	const uint32_t chunk = asked && asked < length ? asked : length;

	for (uint32_t from = 0; from < length; from += chunk) {
		const uint32_t size = length - from < chunk ? length - from : chunk;
		const uint32_t fixed = (uint32_t)((uint64_t)size * job->buffers.compress_percent /
						  100);

		fill_noise(noise, at + from, size - fixed);
		fill_fixed(job, at + from + size - fixed, from + size - fixed, fixed);
	}
}

/* Blocks are numbered, those of clones that share a set in turn, and each number has its own
 * noise: the first blocks of their own are the set, from which repetitions are drawn. */
static struct random *begin_numbered(struct content *c, struct random *again, bool repeats)
{
	const uint64_t own = c->unique;
	const uint64_t block = repeats ? random_below(&c->choices, c->job->dedupe.set_blocks)
				       : own;

	if (!repeats)
		c->unique += c->job->dedupe.sharers;
	again->state = random_mix(c->base + random_mix(block));
	return again;
}

/* Where the noise of this block begins: anew, or as that of one before did. */
static struct random *begin(struct content *c, struct random *again)
{
	const uint32_t percent = c->job->dedupe.percent;
	const bool repeats = percent && random_below(&c->choices, 100) < percent;

	if (percent && c->job->dedupe.mode == DEDUPE_WORKING_SET)
		return begin_numbered(c, again, repeats);
	if (repeats && c->begun) {
		*again = c->last;
		return again;
	}
	c->last = c->noise;
	c->begun = true;
	return &c->noise;
}

void content_fill(struct content *c, void *buffer, uint32_t length)
{
	const struct job *job = c->job;
	struct random again;

	if (content_is_zero(job) || (job->buffers.pattern.length && !job->buffers.compress_percent))
		fill_fixed(job, buffer, 0, length);
	else
		fill_mixed(job, begin(c, &again), buffer, length);
}
