/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_UNSUPPORTED_OPTIONS_H
#define IOGATE_UNSUPPORTED_OPTIONS_H

#include <stdbool.h>

/* Whether fio has a job option or a command of this name that is not here yet: to be told as
 * such, and not as a typing mistake. */
bool unsupported_option(const char *name);
/* Whether it is an option of an ioengine that fio has and that is not here. */
bool unsupported_engine_option(const char *name);
/* Whether fio has an ioengine of this name that is not here. */
bool unsupported_engine(const char *name);

/* What is said of it, after the name. */
#define UNSUPPORTED_TEXT "fio has it, iogate-engine does not have it yet"

#endif
