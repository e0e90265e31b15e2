/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "job/job.h"
#include "job/option.h"
#include "util/units.h"

enum { KB_BASE = 1024 };

static const struct range_word {
	const char *name;
	uint32_t flag;
} words[] = {
	{ "wait_before", SYNC_FILE_RANGE_WAIT_BEFORE },
	{ "write", SYNC_FILE_RANGE_WRITE },
	{ "wait_after", SYNC_FILE_RANGE_WAIT_AFTER },
};

static uint32_t flag_of(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strlen(words[i].name) == length && !memcmp(words[i].name, word, length))
			return words[i].flag;
	}
	return 0;
}

/* "wait_before,write:8"; without a number after each write. */
static int parse_sync_range(const struct option_destination *to, const char *text)
{
	struct sync_range range = { .every = 1 };
	const char *colon = strchr(text, ':');
	const char *end = colon ? colon : text + strlen(text);
	uint64_t every = 1;
	int code = colon ? units_number(colon + 1, KB_BASE, &every, to->err) : 0;

	for (const char *at = text; !code && at <= end;) {
		const size_t length = strcspn(at, ",:");
		const uint32_t flag = flag_of(at, length);

		if (!flag)
			return err_set(to->err, -EINVAL, "'%.80s' is not a list of wait_before, "
				       "write, wait_after", text);
		range.flags |= flag;
		at += length + 1;
	}
	if (!code && every > UINT32_MAX)
		return err_set(to->err, -EINVAL, "'%.80s' is too many writes", colon + 1);
	range.every = (uint32_t)every;
	if (!code)
		memcpy(to->field, &range, sizeof(range));
	return code;
}

const struct option_type type_sync_range = {
	.words = "list of `wait_before`, `write`, `wait_after`, and `:count`",
	.width = sizeof(struct sync_range),
	.parse = parse_sync_range,
};
