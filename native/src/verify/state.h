/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_STATE_H
#define IOGATE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/*
 * How far a job has come with its writes, as fio 3.33 keeps it (verify_state_save): a header of
 * 24 bytes with a CRC-32C of the rest, how many writes there were, and the last ones. Of fio's
 * there is also the state of its random numbers, which is left 0 and not looked at.
 */
enum { STATE_NAME_BYTES = 64 };

struct state_place {
	uint64_t file, offset;
};

struct verify_state {
	uint64_t writes;
	uint32_t depth, files;
	char name[STATE_NAME_BYTES];	/* of the job */
	struct state_place *last;	/* depth * files of them, or less */
	uint32_t last_count;
};

size_t state_bytes(const struct verify_state *s);
void state_pack(const struct verify_state *s, uint8_t *to);
/* 0, or -EINVAL or -ENOMEM with *err; free(s->last) after. Any bytes may stand there. */
int state_unpack(const uint8_t *from, size_t bytes, struct verify_state *s, struct err *err);

/* Whether the write of this number, from 0, to this place is known to be done. */
bool state_has(const struct verify_state *s, uint64_t number, uint32_t file, uint64_t offset);

#endif
