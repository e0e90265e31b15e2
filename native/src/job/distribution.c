/* SPDX-License-Identifier: Apache-2.0 */
#include "job/distribution.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/units.h"

enum { BYTES_MAX = 1 << 30, UNSAID = UINT32_MAX };

/* One entry, "4k/50", "4k/" or "4k". */
static int parse_share(const char *text, uint32_t kb_base, struct block_share *share,
		       struct arena *memory, struct err *err)
{
	const size_t length = strcspn(text, "/");
	uint64_t bytes;
	int code = units_number(arena_text(memory, text, length), kb_base, &bytes, err);

	if (!code && (!bytes || bytes > BYTES_MAX))
		code = err_set(err, -EINVAL, "'%.80s' is no block size from 1 byte to 1 GiB", text);
	share->bytes = (uint32_t)bytes;
	share->percent = UNSAID;
	if (!code && text[length] && text[length + 1])
		code = units_percent(text + length + 1, &share->percent, err);
	return code;
}

/* As in fio, what goes beyond 100 % is cut off, of the last ones. */
static void cut_off(struct block_share *shares, uint32_t count)
{
	uint32_t left = 100;

	for (uint32_t i = 0; i < count; i++) {
		if (shares[i].percent == UNSAID)
			continue;
		shares[i].percent = shares[i].percent < left ? shares[i].percent : left;
		left -= shares[i].percent;
	}
}

/* Entries without a percentage get what is left, the first ones what does not divide; without
 * such, the most frequent one does. */
static void share_out(struct block_share *shares, uint32_t count)
{
	uint32_t sum = 0, unsaid = 0, most = 0;

	cut_off(shares, count);
	for (uint32_t i = 0; i < count; i++) {
		sum += shares[i].percent == UNSAID ? 0 : shares[i].percent;
		unsaid += shares[i].percent == UNSAID;
		most = shares[i].percent >= shares[most].percent ? i : most;
	}
	if (!unsaid)
		shares[most].percent += 100 - sum;
	for (uint32_t i = 0, rest = 100 - sum; unsaid && i < count; i++) {
		if (shares[i].percent != UNSAID)
			continue;
		shares[i].percent = (rest + unsaid - 1) / unsaid;
		rest -= shares[i].percent;
		unsaid--;
	}
}

static uint32_t count_parts(const char *text, char separator)
{
	uint32_t count = 1;

	for (; *text; text++)
		count += *text == separator;
	return count;
}

static int parse_split(const char *text, uint32_t kb_base, struct block_split *split,
		       struct arena *memory, struct err *err)
{
	const uint32_t count = count_parts(text, ':');
	struct block_share *shares = arena_alloc(memory, count * sizeof(*shares));

	for (uint32_t i = 0; i < count; i++) {
		const size_t length = strcspn(text, ":");
		const int code = parse_share(arena_text(memory, text, length), kb_base,
					     &shares[i], memory, err);

		if (code)
			return code;
		text += length + 1;
	}
	*split = (struct block_split){ shares, count };
	share_out(shares, count);
	return 0;
}

int bssplit_parse(const char *text, uint32_t kb_base, struct block_split splits[DIR_DATA_COUNT],
		  struct arena *memory, struct err *err)
{
	const uint32_t parts = count_parts(text, ',');
	const char *at = text;

	if (parts > DIR_DATA_COUNT)
		return err_set(err, -EINVAL, "'%.80s' has more than the three parts "
			       "read,write,trim", text);
	for (uint32_t dir = 0; dir < DIR_DATA_COUNT; dir++) {
		const size_t length = strcspn(at, ",");
		int code = 0;

		if (length)
			code = parse_split(arena_text(memory, at, length), kb_base, &splits[dir],
					   memory, err);
		if (code)
			return code;
		at += dir + 1 < parts ? length + 1 : 0;
	}
	return 0;
}
