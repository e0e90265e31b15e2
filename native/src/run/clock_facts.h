/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_CLOCK_FACTS_H
#define IOGATE_CLOCK_FACTS_H

#include "run/result.h"
#include "run/workers.h"

/* The clock as it is now, and how often the workers read it. */
struct clock_facts clock_facts_of(const struct workers *workers, bool clock_per_io);

#endif
