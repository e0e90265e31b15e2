/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_TARGET_LISTING_H
#define IOGATE_TARGET_LISTING_H

#include <stdint.h>

/* The regular files below a directory, by their names; no link is followed. */
struct target_listing {
	char **paths;
	uint32_t count;
};

/* 0, or -errno: of the directory itself, or of one below it. Release also after a failure. */
int target_listing_make(struct target_listing *l, const char *folder);
void target_listing_release(struct target_listing *l);

#endif
