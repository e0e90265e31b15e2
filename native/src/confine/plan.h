/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_CONFINE_PLAN_H
#define IOGATE_CONFINE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/arena.h"
#include "util/err.h"

/* The plan of confine.h, read. Every text lives in the arena. */

enum {
	PLAN_BYTES_MAX = 65536, PLAN_PLACES_MAX = 64, PLAN_TEXTS_MAX = 256, PLAN_FDS_MAX = 16,
	PLAN_PORTS_MAX = 64
};

enum place_kind { PLACE_BLOCK, PLACE_FILE, PLACE_DIRECTORY, PLACE_NEW };

enum layer {
	LAYER_LANDLOCK = 1, LAYER_NAMESPACES = 2, LAYER_READ_ONLY = 4, LAYER_NETWORK = 8,
	LAYER_CAPABILITIES = 16, LAYER_PROCESSES = 32, LAYER_CALLS = 64, LAYER_FAMILY = 128
};

struct place {
	enum place_kind kind;
	bool writable;
	bool links;		/* symbolic links, pipes and sockets may be made in it, too */
	bool made;		/* by us: a new file */
	dev_t device, rdev;
	uint64_t inode, diskseq, size_bytes;
	const char *path;
	int fd;			/* O_PATH, once opened; else -1 */
	int tree;		/* a detached mount of it, while mounts are made; else -1 */
};

struct texts {
	const char *at[PLAN_TEXTS_MAX];
	size_t count;
};

struct ports {
	uint16_t at[PLAN_PORTS_MAX];
	size_t count;
};

struct confine_plan {
	struct arena *arena;
	struct place places[PLAN_PLACES_MAX];
	size_t places_count;
	struct texts reads, sets, keeps, flushes, claims;
	int fds[PLAN_FDS_MAX];
	size_t fds_count;
	uint64_t capabilities;		/* bit n: capability n */
	bool host_network;
	struct ports connects, binds;	/* of TCP */
	unsigned required;		/* LAYER_ bits */
};

/* `text` need not end with a NUL. 0, or -EINVAL with *err naming the line; release in
 * either case. */
int confine_plan_parse(struct confine_plan *p, const char *text, size_t length,
		       struct err *err);
void confine_plan_release(struct confine_plan *p);

#endif
