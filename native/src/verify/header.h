/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_HEADER_H
#define IOGATE_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "job/job.h"

/*
 * What stands in front of each checked unit, as fio 3.33 writes it: little-endian, 40 bytes, and
 * behind it the checksum of the data that follows (sums.h).
 */
struct header {
	uint16_t magic, method;		/* method: enum verify_method */
	uint32_t length;		/* of the unit, with this header */
	uint64_t seed;			/* which run wrote it (verify.h); fio: what filled it */
	uint64_t offset;		/* of the unit in its file */
	uint32_t seconds, ns;		/* since that run began */
	uint16_t thread, number;	/* who wrote it, from 1; the number of that write, from 0 */
	uint32_t crc;			/* of the 36 bytes before */
};

enum { HEADER_BYTES = sizeof(struct header), FAULT_BYTES = 240 };

/* With its checksum; 0: this verify= has none. */
uint32_t header_bytes(enum verify_method method);
/* Headers, and data of 128 bytes where a checksum needs them: no unit is smaller. */
uint32_t header_unit_min(enum verify_method method);

/* With its magic and its own checksum. */
void header_write(uint8_t *to, struct header h);

/* What a header has to say to be right. */
struct header_wanted {
	uint64_t offset, seed;
	uint32_t length;
	uint16_t method, number;
	bool seed_counts, number_counts;
};

/* False: *h is not what is wanted, and text says in what. Any bytes may stand there. */
bool header_read(const uint8_t *from, const struct header_wanted *w, struct header *h,
		 char text[FAULT_BYTES]);

#endif
