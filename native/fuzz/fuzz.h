/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_FUZZ_H
#define IOGATE_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/*
 * Targets of libFuzzer: fuzz_NAME.c, with corpus_NAME/ beside it. replay.c runs them over their
 * corpora where there is no libFuzzer, and tells how many inputs were taken: inputs that are
 * refused early find little.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* How many inputs a target has taken as right, for replay.c. */
extern size_t fuzz_taken;

/* For targets of job files, mutate.c: lines of options from the table, with values that their
 * types take, beside libFuzzer's own changes. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t size_max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t size_max, unsigned seed);

#endif
