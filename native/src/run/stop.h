/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_STOP_H
#define IOGATE_STOP_H

#include <stdbool.h>

#include "run/workers.h"

/* That a run is to end, asked for by a signal: before it, or while it goes on. */
void stop_request(void);		/* from a signal handler */
bool stop_requested(void);
void stop_clear(void);
/* Whom a request wakes; one that came before does so now. NULL: nobody. */
void stop_attach(struct run_control *control);

#endif
