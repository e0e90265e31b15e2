/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_DEVICE_CLAIMS_H
#define IOGATE_DEVICE_CLAIMS_H

#include "target/target.h"

/* Block devices that jobs write, held open with O_EXCL while a run lasts: that fails
 * while anyone else uses them, and nobody can mount them. One claim serves all. Zeroed, it
 * has none. */
struct device_claims {
	struct device_claim {
		dev_t device;
		int fd;
	} *held;
	uint32_t count;
};

/*
 * What the target's job writes or trims; its files know their claim then. 0, or -errno;
 * release also after a failure.
 */
int device_claims_add(struct device_claims *claims, struct target *t, struct err *err);
void device_claims_release(struct device_claims *claims);

#endif
