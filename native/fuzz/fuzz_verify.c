/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "verify/header.h"
#include "verify/verify.h"

size_t fuzz_taken;

/* The first bytes choose how the rest, which a disk might hold, is looked at. */
enum { CHOICES = 8 };

static void check(const struct verify *v, const struct verify_block *b, const uint8_t *data)
{
	struct verify_fault fault = { .at = 0 };
	struct verify_block wanted = { .data = malloc(b->length), .offset = b->offset,
				       .length = b->length };
	const int code = verify_check(v, b, &fault);

	fuzz_taken += !code;
	if (code != 0 && code != -EILSEQ)
		abort();
	if ((code != 0) != (fault.text[0] != '\0') || memcmp(b->data, data, b->length) != 0)
		abort();
	if (wanted.data)
		verify_expected(v, b, &wanted);
	free(wanted.data);
	if (memcmp(b->data, data, b->length) != 0)
		abort();
	fuzz_taken++;
	verify_seal(v, b, 1);
	if (verify_check(v, b, &fault))
		abort();
}

/* Any bytes are right or wrong, stay as they are, and can be written over. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint16_t places[] = { 2 };
	struct job job = { .verify = {
		.header_seed = true, .write_sequence = true,
		.pattern = { (const unsigned char *)"abcdefghijk", 11, places, 1 },
	} };
	struct verify v = { .job = &job };
	struct verify_block b = { .length = (uint32_t)(size - CHOICES) };
	uint32_t unit = b.length;

	if (size <= CHOICES)
		return 0;
	if (data[7] & 1)
		job.verify.pattern.places_count = 0;
	job.verify.pattern_interval = data[7] >> 1;
	job.verify.method = data[0] % VERIFY_METHODS;
	job.verify.interval_bytes = data[1] | (uint32_t)data[2] << 8;
	if (job.verify.interval_bytes && unit % job.verify.interval_bytes == 0)
		unit = job.verify.interval_bytes;
	job.verify.offset_bytes = data[3] | (uint32_t)data[4] << 8;
	b.ours = data[5];
	b.offset = data[6];
	if (!job.verify.method || job.verify.method == VERIFY_CRC16 - 1 ||
	    unit < header_unit_min(job.verify.method) ||
	    job.verify.offset_bytes + header_bytes(job.verify.method) > unit ||
	    (job.verify.offset_bytes && job.verify.offset_bytes < header_bytes(job.verify.method)))
		return 0;
	b.data = malloc(b.length);
	if (b.data)
		check(&v, &b, memcpy(b.data, data + CHOICES, b.length));
	free(b.data);
	return 0;
}
