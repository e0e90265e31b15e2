/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "job/distribution.h"
#include "job/job.h"
#include "job/option.h"
#include "util/units.h"

enum { KB_BASE = 1024 };

static const struct service_word {
	const char *name;
	enum service_kind kind;
} words[] = {
	{ "random", SERVICE_DRAWN },
	{ "roundrobin", SERVICE_ROUND_ROBIN },
	{ "sequential", SERVICE_SEQUENTIAL },
};

static const struct service_word *word_of(const char *text, size_t length)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strlen(words[i].name) == length && !memcmp(words[i].name, text, length))
			return &words[i];
	}
	return NULL;
}

/* "roundrobin:8" */
static int parse_turns(const struct option_destination *to, const char *text,
		       struct file_service *service)
{
	const size_t length = strcspn(text, ":");
	const struct service_word *word = word_of(text, length);
	uint64_t ios = 0;
	int code = 0;

	if (!word)
		return err_set(to->err, -EINVAL, "'%.80s' is not one of random, roundrobin, "
			       "sequential, zipf, pareto, normal, gauss", text);
	if (text[length])
		code = units_number(text + length + 1, KB_BASE, &ios, to->err);
	if (!code && ios > UINT32_MAX)
		return err_set(to->err, -EINVAL, "'%.80s' is too many I/Os", text + length + 1);
	service->kind = word->kind;
	service->ios = (uint32_t)ios;
	return code;
}

static int parse_service(const struct option_destination *to, const char *text)
{
	struct file_service service = { .kind = SERVICE_DRAWN };
	const int code = skew_is(text) ? skew_parse(text, &service.skew, to->err)
				       : parse_turns(to, text, &service);

	if (!code)
		memcpy(to->field, &service, sizeof(service));
	return code;
}

const struct option_type type_service = {
	.words = "`random`, `roundrobin` or `sequential` with `:count`, or `zipf`, `pareto`, "
		 "`normal` or `gauss` with `:number`",
	.width = sizeof(struct file_service),
	.parse = parse_service,
};
