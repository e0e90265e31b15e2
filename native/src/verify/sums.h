/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_SUMS_H
#define IOGATE_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "job/job.h"

/*
 * What fio 3.33 stores behind a header for each verify=, byte by byte. Two are other than their
 * names say: sha512 keeps the first 128 bytes of the data with the last incomplete 128 over
 * them and no digest, so that damage elsewhere is not seen; sha256 keeps the last padded block,
 * its length in the order of MD5's, with the lowest byte of each word of the state in front.
 */
enum { SUM_BYTES_MAX = 128 };

struct sum {
	const char *name;		/* as verify= has it; NULL: no such method */
	uint32_t bytes;			/* behind the header; 0: none */
	void (*make)(const uint8_t *data, size_t length, uint8_t *sum);
};

const struct sum *sum_of(enum verify_method method);

#endif
