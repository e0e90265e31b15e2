/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_VERSION_H
#define IOGATE_VERSION_H

#define IOGATE_ENGINE_NAME "iogate-engine"
#define IOGATE_ENGINE_VERSION "0.1.0"

/* Whose language it speaks: the fio that it is compared with, in the form that programs which run
 * fio look for. Called by the name fio, say through a link that stands first in PATH, it says this
 * in every place where fio says its version; a JSON result names the engine beside it. */
#define IOGATE_ENGINE_SPEAKS "fio-3.33"

void version_called(const char *argv0);		/* once, before the others are asked */
const char *version_program(void);		/* what a command line begins with */
const char *version_text(void);			/* "iogate-engine-0.1.0", or "fio-3.33" */

/*
 * What the numbers of a result mean. Histories compare only results of the same number, so raise it
 * when, and only when, the same job on the same storage gives another number than before although
 * the storage did the same: latencies that begin or end elsewhere, other buckets, an I/O counted
 * otherwise, another default of an option, another order of I/Os. Not for what costs the engine
 * less, for a new option, nor for a field that is added.
 */
#define IOGATE_ENGINE_SEMANTICS 2

#endif
