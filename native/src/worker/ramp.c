/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/ramp.h"

uint64_t ramp_bytes(const struct loop *l)
{
	const struct size_value ramp = l->job->time.ramp;
	uint64_t whole = 0;

	for (uint32_t i = 0; i < l->target->files_count; i++)
		whole += l->target->files[i].extent.size_bytes;
	return ramp.percent ? whole * ramp.percent / 100 : ramp.bytes;
}

void ramp_look(struct loop *l, uint64_t now)
{
	uint64_t bytes = 0;

	for (int dir = 0; dir < DIR_DATA_COUNT; dir++)
		bytes += l->stats->dirs[dir].bytes;
	if (!l->shared->in_ramp || bytes >= l->slow.ramp_bytes) {
		l->slow.ramp_bytes = 0;
		l->event_ticks = l->shared->in_ramp ? now : l->event_ticks;
	}
}
