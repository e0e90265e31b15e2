/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_TRIGGER_H
#define IOGATE_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>

#include "run/run_options.h"

/* Whether it is pulled now, and never again; begin_ns is when the run began. */
bool trigger_pulled(const struct trigger *t, uint64_t begin_ns, uint64_t now_ns);
/* Runs the command by the shell, to its end. */
void trigger_run(const struct trigger *t);

#endif
