/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_HOST_LIMITS_H
#define IOGATE_HOST_LIMITS_H

#include <stdint.h>

#include "engines/engine.h"

/* What this machine allows, for errors that say what to raise and by how much. */

/* Why io_uring_setup() failed with -errno, for e->err: returns it. */
int limits_uring_error(const struct engine *e, int code);
/* Why buffers could not be registered with a ring. */
int limits_buffers_error(const struct engine *e, int code);
/* Why io_setup() failed. */
int limits_aio_error(const struct engine *e, int code);

#endif
