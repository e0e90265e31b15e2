/* SPDX-License-Identifier: Apache-2.0 */
#include "engines/engines.h"

#include <string.h>

#define ENGINE_POINTER(name) &engine_##name,
const struct engine_ops *const engines_all[] = { ENGINES(ENGINE_POINTER) NULL };

/* Names that fio takes, too. */
static const struct {
	const char *name, *means;
} aliases[] = { { "linuxaio", "libaio" }, { "aio", "libaio" } };

const struct engine_ops *engine_find(const char *name)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(*aliases); i++)
		name = strcmp(name, aliases[i].name) ? name : aliases[i].means;
	for (const struct engine_ops *const *ops = engines_all; *ops; ops++) {
		if (!strcmp((*ops)->name, name))
			return *ops;
	}
	return NULL;
}
