/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/pattern_pair.h"

void pattern_pair_init(struct pattern *p, const struct job *job)
{
	const uint64_t *bytes = job->block.bytes;

	p->pair.on = true;
	p->pair.lengths[DIR_TRIM] = (uint32_t)bytes[DIR_TRIM];
	p->pair.lengths[DIR_WRITE] = (uint32_t)bytes[DIR_WRITE];
	p->bs_bytes[DIR_WRITE] = bytes[DIR_TRIM] > bytes[DIR_WRITE] ? bytes[DIR_TRIM]
								    : bytes[DIR_WRITE];
}

uint32_t pattern_pair_fill(struct pattern_pair *pair, struct pattern_io *out, uint32_t n)
{
	const uint64_t length = pair->block.length;
	uint32_t i = 0;

	for (; i < n && pair->done_bytes < 2 * length; i++) {
		const bool trimmed = pair->done_bytes >= length;
		const uint8_t dir = trimmed ? DIR_WRITE : DIR_TRIM;
		const uint64_t at = trimmed ? pair->done_bytes - length : pair->done_bytes;

		out[i] = (struct pattern_io){
			.offset = pair->block.offset + at, .length = pair->lengths[dir],
			.file = pair->block.file, .dir = dir,
		};
		pair->done_bytes += pair->lengths[dir];
	}
	return i;
}
