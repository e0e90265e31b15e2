/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "confine/plan.h"
#include "fuzz.h"

size_t fuzz_taken;

/* Any text gives a plan whose paths are absolute and lead nowhere else, or an error. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct confine_plan *p = calloc(1, sizeof(*p));
	struct err err = { 0 };
	int code;

	if (!p)
		return 0;
	code = confine_plan_parse(p, (const char *)data, size, &err);
	if ((code != 0) != (err.text[0] != '\0'))
		abort();
	for (size_t i = 0; i < p->places_count; i++) {
		if (p->places[i].path[0] != '/' || strstr(p->places[i].path, "/../") ||
		    strchr(p->places[i].path, '\n'))
			abort();
	}
	fuzz_taken += !code;
	confine_plan_release(p);
	free(p);
	return 0;
}
