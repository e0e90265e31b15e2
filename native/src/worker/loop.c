/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/loop.h"

#include "worker/loop_general.h"
#include "worker/loop_plain.h"
#include "worker/loop_untimed.h"

void loop_run(struct loop *l)
{
	l->alone = !l->needs.general && !l->job->report.gtod_reduce && l->engine.depth == 1;
	if (l->needs.general)
		loop_run_general(l);
	else if (l->job->report.gtod_reduce)
		loop_run_untimed(l);
	else
		loop_run_plain(l);
}
