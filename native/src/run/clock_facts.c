/* SPDX-License-Identifier: Apache-2.0 */
#include "run/clock_facts.h"

#include <string.h>

/* Reads are per I/O where every batch is one I/O. */
static const char *clock_reads(const struct workers *workers, bool clock_per_io)
{
	if (clock_per_io)
		return "per-io";
	for (uint32_t i = 0; i < workers->count; i++) {
		const struct job *job = workers->members[i].worker.job;

		if (job->depth.iodepth > 1 && !engine_is_sync(job->ops))
			return "per-batch";
	}
	return "per-io";
}

struct clock_facts clock_facts_of(const struct workers *workers, bool clock_per_io)
{
	struct clock_facts facts = {
		.source = clock_source_name(), .frequency_hz = clock_state.frequency_hz,
		.error_ppm = clock_error_ppm(),
		.reads = clock_reads(workers, clock_per_io),
		.read_cost_ns = clock_read_cost_ns(),
	};

	memcpy(facts.fallback, clock_state.fallback, sizeof(facts.fallback));
	return facts;
}
