/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_FLOW_H
#define IOGATE_FLOW_H

#include "worker/worker_shared.h"

/*
 * Jobs of one flow_id share their I/Os by weight: one that is past its share waits for the
 * others. Their counts stand in memory that all map.
 */

/* From here on others wait for this worker's share; of one that comes later, as if it had done
 * it so far. Once more does nothing. */
void flow_enter(const struct worker *w);
/* Its share is for the others. The parent does it for one that died. */
void flow_leave(const struct worker *w);
/* Whether this worker is past its share and waits. */
bool flow_waits(const struct worker *w);
/* It does one more I/O. */
void flow_note(const struct worker *w);

#endif
