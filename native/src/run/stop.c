/* SPDX-License-Identifier: Apache-2.0 */
#include "run/stop.h"

#include <stdatomic.h>

/* A signal handler sees only these. */
static struct run_control *_Atomic current_control;
static atomic_bool requested;

void stop_request(void)
{
	struct run_control *control = current_control;

	requested = true;
	if (!control)
		return;
	atomic_store(&control->stop, 1);
	atomic_fetch_add(&control->events, 1);
	futex_wake_all(&control->stop);
	futex_wake_all(&control->go);
	futex_wake_all(&control->events);
}

bool stop_requested(void)
{
	return requested;
}

void stop_clear(void)
{
	requested = false;
}

void stop_attach(struct run_control *control)
{
	current_control = control;
	if (control && requested)
		stop_request();
}
