/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "job/distribution.h"
#include "util/units.h"

enum { ZONES_MAX = 256, REST = UINT32_MAX, SEQUENCE_MAX = 4096,
	DIGITS_MAX = 18 };

/* The size of a zone: of `zoned` in percent, of `zoned_abs` in bytes, of which a k is
 * byte_base, else 0. */
static int parse_size(const char *text, uint32_t byte_base, struct access_zone *zone,
		      struct err *err)
{
	if (byte_base)
		return units_number(text, byte_base, &zone->bytes, err);
	zone->size_percent = REST;
	return *text ? units_percent(text, &zone->size_percent, err) : 0;
}

/* "60/10", "60/64k" */
static int parse_zone(const char *text, uint32_t byte_base, struct access_zone *zone,
		      struct arena *memory, struct err *err)
{
	const size_t length = strcspn(text, "/");
	int code;

	*zone = (struct access_zone){ 0 };
	if (!text[length])
		return err_set(err, -EINVAL, "'%.80s' is no zone: percent of I/Os/%s", text,
			       byte_base ? "size" : "percent of the file");
	code = units_percent(arena_text(memory, text, length), &zone->percent, err);
	return code ? code : parse_size(text + length + 1, byte_base, zone, err);
}

/* Zones that leave out their size share what is left of the file. */
static int share_rest(struct access_zone *zones, uint32_t count, struct err *err)
{
	uint32_t ios = 0, size = 0, unsaid = 0;

	for (uint32_t i = 0; i < count; i++) {
		ios += zones[i].percent;
		size += zones[i].size_percent == REST ? 0 : zones[i].size_percent;
		unsaid += zones[i].size_percent == REST;
	}
	if (ios != 100)
		return err_set(err, -EINVAL, "the zones have %u %% of I/Os together, not 100", ios);
	if (size > 100)
		return err_set(err, -EINVAL, "the zones are %u %% of the file together: at most "
			       "100", size);
	for (uint32_t i = 0; i < count; i++) {
		if (zones[i].size_percent == REST)
			zones[i].size_percent = (100 - size) / unsaid;
	}
	return 0;
}

static int parse_zones(const char *text, uint32_t byte_base, struct access_zones *to,
		       struct arena *memory, struct err *err)
{
	struct access_zone zones[ZONES_MAX], *kept;
	uint32_t count = 0;
	int code = 0;

	for (const char *at = text; !code; at++) {
		const size_t length = strcspn(at, ":");

		if (count == ZONES_MAX)
			return err_set(err, -EINVAL, "there are more than %d zones", ZONES_MAX);
		code = parse_zone(arena_text(memory, at, length), byte_base, &zones[count++],
				  memory, err);
		at += length;
		if (!*at)
			break;
	}
	if (!code)
		code = share_rest(zones, count, err);
	if (code)
		return code;
	kept = arena_alloc(memory, count * sizeof(*kept));
	memcpy(kept, zones, count * sizeof(*kept));
	*to = (struct access_zones){ kept, count };
	return 0;
}

/* One list for all directions, or after commas one for each. */
static int parse_directions(const char *text, uint32_t kb_base, struct distribution *d,
			    struct arena *memory, struct err *err)
{
	const char *at = text;

	for (int dir = 0; dir < DIR_DATA_COUNT; dir++) {
		const size_t length = strcspn(at, ",");
		const int code = parse_zones(arena_text(memory, at, length),
					     d->in_bytes ? kb_base : 0, &d->zones[dir], memory,
					     err);

		if (code)
			return code;
		at += at[length] ? length + 1 : 0;
	}
	return 0;
}

/* "2,0,1" */
static int parse_sequence(const char *text, struct access_sequence *to, struct arena *memory,
			  struct err *err)
{
	uint64_t blocks[SEQUENCE_MAX], *kept;
	uint32_t count = 0;

	for (;; text++) {
		const size_t digits = strspn(text, "0123456789");
		const uint64_t block = digits && digits <= DIGITS_MAX ? strtoull(text, NULL, 10)
								      : UINT64_MAX;

		if (block == UINT64_MAX || (text[digits] && text[digits] != ','))
			return err_set(err, -EINVAL, "'%.80s' is no list of numbers of blocks, as "
				       "in sequence:2,0,1", text);
		if (count == SEQUENCE_MAX)
			return err_set(err, -EINVAL, "a sequence has at most %d blocks",
				       SEQUENCE_MAX);
		blocks[count++] = block;
		to->span = block >= to->span ? block + 1 : to->span;
		text += digits;
		if (!*text)
			break;
	}
	kept = arena_alloc(memory, count * sizeof(*kept));
	memcpy(kept, blocks, count * sizeof(*kept));
	to->blocks = kept;
	to->count = count;
	return 0;
}

int distribution_parse(const char *text, uint32_t kb_base, struct distribution *d,
		       struct arena *memory, struct err *err)
{
	const size_t length = strcspn(text, ":");

	*d = (struct distribution){ .in_bytes = !strncmp(text, "zoned_abs:", 10) };
	if (skew_is(text))
		return skew_parse(text, &d->skew, err);
	if (!strncmp(text, "random", length) && length == 6)
		return 0;
	if (!strncmp(text, "sequence:", 9))
		return parse_sequence(text + length + 1, &d->sequence, memory, err);
	if (strncmp(text, "zoned:", 6) && !d->in_bytes)
		return err_set(err, -EINVAL, "'%.80s' is not one of random, zipf, pareto, normal, "
			       "zoned:, zoned_abs:, sequence:", text);
	return parse_directions(text + length + 1, kb_base, d, memory, err);
}
