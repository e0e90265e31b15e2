/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_ENGINES_CPUIO_H
#define IOGATE_ENGINES_CPUIO_H

#include "job/option.h"

struct cpuio_options {
	uint64_t chunk_ns;
	uint32_t load_percent;		/* 0: not given */
};

#endif
