/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "util/crc32c.h"
#include "verify/state.h"

size_t fuzz_taken;

enum { FRONT_BYTES = 24, CRC_AT = 16, LENGTH_AT = 8 };

/* What is taken is packed again to the same, but for what is not looked at. */
static void check(const uint8_t *data, size_t size)
{
	struct err err = { 0 };
	struct verify_state s;
	const int code = state_unpack(data, size, &s, &err);

	fuzz_taken += !code;
	if ((code != 0) != (err.text[0] != '\0') || (!code && state_bytes(&s) != size))
		abort();
	if (!code)
		state_has(&s, data[size - 1], data[0], data[size / 2]);
	free(s.last);
}

/* Any bytes; and the same with a front that is right, or else few would get further. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *right = malloc(size + FRONT_BYTES);
	const uint64_t version = 3, length = size;
	uint32_t crc = ~crc32c(data, size);

	check(data, size);
	if (!right)
		return 0;
	memset(right, 0, FRONT_BYTES);
	memcpy(right, &version, sizeof(version));
	memcpy(right + LENGTH_AT, &length, sizeof(length));
	memcpy(right + CRC_AT, &crc, sizeof(crc));
	memcpy(right + FRONT_BYTES, data, size);
	check(right, size + FRONT_BYTES);
	free(right);
	return 0;
}
