/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_BLOCK_H
#define IOGATE_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* A block of a file, in memory. */
struct verify_block {
	uint8_t *data;
	uint64_t offset;
	uint32_t length;
	uint16_t file;
	uint16_t number;		/* of the write in its run, from 0 */
	bool filled;			/* with data already, for verify_seal() */
	bool trimmed;			/* since it was written: it has to be zeros */
	bool ours;			/* this run wrote it: seed and number have to be right */
};

#endif
