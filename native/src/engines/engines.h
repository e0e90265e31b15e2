/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_ENGINES_H
#define IOGATE_ENGINES_H

#include "engines/engine.h"

/* The one list of ioengines: X(name) is engines/name.c, which defines engine_name. */
#define ENGINES(X)	\
	X(sync)		\
	X(psync)	\
	X(libaio)	\
	X(io_uring)	\
	X(mmap)		\
	X(posixaio)	\
	X(null)		\
	X(cpuio)

#define ENGINE_DECLARE(name) extern const struct engine_ops engine_##name;
ENGINES(ENGINE_DECLARE)
#undef ENGINE_DECLARE

/* NULL-terminated, in the order of the list. */
extern const struct engine_ops *const engines_all[];
const struct engine_ops *engine_find(const char *name);		/* NULL: no such engine */

#endif
