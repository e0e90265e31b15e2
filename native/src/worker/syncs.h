/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_SYNCS_H
#define IOGATE_SYNCS_H

#include "worker/loop_state.h"

/* fsync=n, fdatasync=n and sync_file_range=…:n: syncs among the writes of the general loop. */

void syncs_note_write(struct loop *l, const struct pattern_io *io);
/* Whether a sync comes before the next I/O; the file that it is of; and the sync itself. */
bool syncs_due(const struct loop *l);
uint32_t syncs_file(struct loop *l);
struct pattern_io syncs_next(struct loop *l);

/* As in fio, sync_file_range() is a call between two I/Os, and none: of what was written of
 * each open file since the last time. When it was done, in ticks. */
bool syncs_range_due(const struct loop *l);
uint64_t syncs_range(struct loop *l);
/* Such a call of a log that is replayed, if it comes next: whether it did. */
bool syncs_replay(struct loop *l);

#endif
