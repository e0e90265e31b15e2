/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_MOUNT_TABLE_H
#define IOGATE_MOUNT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "target/stack.h"

/* Is a device of the stack mounted, or the journal or log of what is, in any mount
 * namespace that may be looked at? `where` then says where, for people. */
bool mount_table_uses(const struct stack *s, char *where, size_t size);

/* Is the path that of a block device of the stack? */
bool mount_table_is_member(const struct stack *s, const char *path);

#endif
