/* SPDX-License-Identifier: Apache-2.0 */
#include "engines/cmdprio.h"

#include <errno.h>
#include <linux/ioprio.h>
#include <string.h>

#include "util/units.h"

enum { FIELDS = 4 };

static int share_error(const char *text, struct err *err)
{
	return err_set(err, -EINVAL, "'%.80s' is not size/percent or size/percent/class/level, "
		       "with class 1 to 3 and level 0 to 7", text);
}

/* "4k/50" or "4k/50/1/0". */
static int parse_share(const char *text, struct cmdprio_share *share,
		       const struct option_destination *to)
{
	static const uint64_t most[FIELDS] = { UINT32_MAX, CMDPRIO_PERCENT_MOST,
					       CMDPRIO_CLASS_MOST, CMDPRIO_LEVEL_MOST };
	uint64_t values[FIELDS] = { 0 };
	const char *at = text;
	unsigned count = 0;

	for (; at && count < FIELDS; count++) {
		const size_t length = strcspn(at, "/");
		struct err why = { 0 };

		if (units_number(arena_text(to->memory, at, length), to->kb_base, &values[count],
				 &why) ||
		    values[count] > most[count])
			return share_error(text, to->err);
		at = at[length] ? at + length + 1 : NULL;
	}
	if (at || !values[0] || (count != 2 && count != FIELDS) || (count == FIELDS && !values[2]))
		return share_error(text, to->err);
	*share = (struct cmdprio_share){ (uint32_t)values[0], (uint32_t)values[1],
					 (uint32_t)values[2], (uint32_t)values[3] };
	return 0;
}

static uint32_t count_parts(const char *text, char separator)
{
	uint32_t count = 1;

	for (; *text; text++)
		count += *text == separator;
	return count;
}

static int parse_split(const char *text, struct cmdprio_split *split,
		       const struct option_destination *to)
{
	const uint32_t count = count_parts(text, ':');
	struct cmdprio_share *shares = arena_alloc(to->memory, count * sizeof(*shares));
	int code = 0;

	for (uint32_t i = 0; i < count && !code; i++) {
		const size_t length = strcspn(text, ":");

		code = parse_share(arena_text(to->memory, text, length), &shares[i], to);
		text += length + (text[length] == ':');
	}
	*split = (struct cmdprio_split){ shares, count };
	return code;
}

/* Of reads and writes; one list is for both. */
static int parse_splits(const struct option_destination *to, const char *text)
{
	struct cmdprio_split splits[DIR_DATA_COUNT] = { { 0 } };
	const uint32_t count = count_parts(text, ',');
	int code = 0;

	if (count > DIR_DATA_COUNT)
		return err_set(to->err, -EINVAL, "'%.80s' has more than the three parts "
			       "read,write,trim", text);
	for (uint32_t i = 0; i < count && !code; i++) {
		const size_t length = strcspn(text, ",");

		code = parse_split(arena_text(to->memory, text, length), &splits[i], to);
		text += length + (text[length] == ',');
	}
	if (count == 1)
		splits[DIR_WRITE] = splits[DIR_READ];
	if (!code)
		memcpy(to->field, splits, sizeof(splits));
	return code;
}

const struct option_type type_cmdprio_split = {
	.words = "`size/percent:…` or `size/percent/class/level:…`, or such lists `r,w`",
	.width = DIR_DATA_COUNT * sizeof(struct cmdprio_split),
	.parse = parse_splits,
};

int cmdprio_check(struct job *job, const struct cmdprio *options, struct err *err)
{
	bool percentage = false, split = false;

	for (unsigned dir = 0; dir < DIR_TRIM; dir++) {
		percentage = percentage || options->percent[dir];
		split = split || options->splits[dir].count;
	}
	if (percentage && split)
		return err_set(err, -EINVAL, "cmdprio_percentage and cmdprio_bssplit exclude each "
			       "other: drop one of them");
	job->cmdprio = percentage || split ? options : NULL;
	return 0;
}

static uint16_t value(uint64_t class, uint64_t level)
{
	return (uint16_t)((class ? class : IOPRIO_CLASS_RT) << IOPRIO_CLASS_SHIFT | level);
}

/* Where a size is there several times, each share is drawn by itself. */
static uint16_t draw_by_size(const struct cmdprio *c, unsigned dir, uint32_t bytes,
			     struct random *choices)
{
	const struct cmdprio_split *split = &c->splits[dir];

	for (uint32_t i = 0; i < split->count; i++) {
		const struct cmdprio_share *s = &split->shares[i];

		if (s->bytes == bytes && random_below(choices, 100) < s->percent)
			return s->class ? value(s->class, s->level)
					: value(c->class[dir], c->level[dir]);
	}
	return 0;
}

uint16_t cmdprio_draw(const struct cmdprio *c, unsigned dir, uint32_t bytes,
		      struct random *choices)
{
	if (dir >= DIR_TRIM)
		return 0;
	if (c->percent[dir] && random_below(choices, 100) < c->percent[dir])
		return value(c->class[dir], c->level[dir]);
	return draw_by_size(c, dir, bytes, choices);
}
