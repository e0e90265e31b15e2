/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_DEVICE_CLAIMS_H
#define IOGATE_DEVICE_CLAIMS_H

#include "run/workers.h"

/* Block devices that jobs write, held open with O_EXCL while a run lasts: that fails
 * while anyone else uses them, and nobody can mount them. One claim serves all. */
struct device_claims {
	int *fds;
	uint32_t count;
};

int device_claims_init(struct device_claims *claims, const struct workers *workers,
		       struct err *err);
void device_claims_release(struct device_claims *claims);

#endif
