/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_CLAIMS_H
#define IOGATE_CLAIMS_H

#include "crew.h"

/* Block devices that jobs write, held open with O_EXCL while a run lasts: that fails
 * while anyone else uses them, and nobody can mount them. One claim serves all. */
struct claims {
	int *fds;
	uint32_t count;
};

int claims_init(struct claims *claims, const struct crew *crew, struct err *err);
void claims_release(struct claims *claims);

#endif
