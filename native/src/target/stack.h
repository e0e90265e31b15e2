/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_STACK_H
#define IOGATE_STACK_H

#include "target/loop_backing.h"

enum { STACK_MAX = 256 };

/* A device and all whose blocks change when it is written: its disk and its partitions,
 * and, where it is a loop, device mapper or md device, what it stands on with the family
 * of that. A loop over a file ends it: a file has blocks of its own. */
struct stack_member {
	dev_t device;
	bool due;	/* what it stands on is still to be added */
	bool bare;	/* nobody may have claimed it: not so below device mapper and md,
			 * which have, and whose sisters are not in the way */
};

struct stack {
	struct stack_member members[STACK_MAX];		/* the device itself is the first */
	struct loop_backing loops[LOOPS_MAX];		/* of the host; `below` is filled in */
	uint32_t count, loops_count;
};

void stack_init(struct stack *s, dev_t device);
bool stack_has(const struct stack *s, dev_t device);

#endif
