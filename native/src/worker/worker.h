/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_WORKER_H
#define IOGATE_WORKER_H

#include "worker/worker_shared.h"

/* Run the worker from setup to WORKER_DONE; errors end up in shared. */
void worker_run(const struct worker *w);

#endif
