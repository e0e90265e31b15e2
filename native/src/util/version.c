/* SPDX-License-Identifier: Apache-2.0 */
#include "util/version.h"

#include <stdbool.h>
#include <string.h>

static bool as_fio;

void version_called(const char *argv0)
{
	const char *slash = argv0 ? strrchr(argv0, '/') : NULL;

	as_fio = argv0 && !strcmp(slash ? slash + 1 : argv0, "fio");
}

const char *version_program(void)
{
	return as_fio ? "fio" : IOGATE_ENGINE_NAME;
}

const char *version_text(void)
{
	return as_fio ? IOGATE_ENGINE_SPEAKS : IOGATE_ENGINE_NAME "-" IOGATE_ENGINE_VERSION;
}
