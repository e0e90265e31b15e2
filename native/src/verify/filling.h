/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_FILLING_H
#define IOGATE_FILLING_H

#include <stddef.h>

#include "job/job.h"
#include "verify/block.h"

/*
 * What a block holds, but for headers: verify_pattern, which goes on over the units of the
 * block, or else noise that the seed of its headers gives.
 */
void filling_make(const struct job *job, const struct verify_block *b, uint64_t seed);

/* Whether the bytes from `from` to `to` of a block are those of verify_pattern; false: text
 * says which is not. */
bool filling_is_pattern(const struct job *job, const struct verify_block *b, uint32_t from,
			uint32_t to, char *text, size_t text_bytes);

#endif
