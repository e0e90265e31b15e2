/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_DEDUPE_SETS_H
#define IOGATE_DEDUPE_SETS_H

#include "job/job.h"

/* How many blocks the working set of each job has (dedupe_mode=working_set), and who shares
 * it: clones with dedupe_global have one set together, others have each their own. */
void dedupe_sets_share(struct job *jobs, size_t count);

#endif
