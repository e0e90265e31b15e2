/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/loop_steps.h"

void step_drain(struct loop *l)
{
	uint64_t now;
	uint32_t count = 1;

	while (l->in_flight && (count || !l->error)) {
		count = step_complete(l, 1, &now, l->synchronous, true, true);
		if (!count)
			l->engine.ops->commit(&l->engine);
	}
}
