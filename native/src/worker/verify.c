/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/verify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/crc32c.h"

struct header {
	uint32_t magic, crc;		/* of all that follows in the unit */
	uint64_t offset, run;
	uint32_t length, reserved;
};

_Static_assert(sizeof(struct header) == VERIFY_HEADER_BYTES, "headers are written to disks");

static const uint32_t magic = 0x7661676f;	/* "ogav" */

static uint32_t checksum(const char *unit, uint32_t length)
{
	return crc32c(unit + offsetof(struct header, offset),
		      length - (uint32_t)offsetof(struct header, offset));
}

void verify_seal(const struct verify *v, const struct io *io)
{
	char *unit = io->buffer;

	for (uint32_t at = 0; at + v->unit_bytes <= io->length; at += v->unit_bytes) {
		struct header h = { .magic = magic, .offset = io->offset + at, .run = v->run,
				    .length = v->unit_bytes };

		memcpy(unit + at, &h, sizeof(h));
		h.crc = checksum(unit + at, h.length);
		memcpy(unit + at, &h, sizeof(h));
	}
}

/* What is wrong with a unit, or NULL; *length is what its header says. */
static const char *unit_fault(const struct verify *v, const char *unit, uint64_t offset,
			      uint32_t room, uint32_t *length)
{
	struct header h;

	memcpy(&h, unit, sizeof(h));
	if (h.magic != magic || h.length < VERIFY_HEADER_BYTES || h.length > room)
		return "holds no header: it was never written, or not by verify=crc32c with "
		       "blocks of at most this bs";
	*length = h.length;
	if (h.crc != checksum(unit, h.length))
		return "does not match its checksum";
	if (h.offset != offset)
		return "is data of another place";
	if (v->run && h.run != v->run)
		return "is data of an earlier run: the write was lost";
	return NULL;
}

int verify_check(const struct verify *v, const struct io *io, char text[VERIFY_TEXT])
{
	const uint32_t moved = (uint32_t)((char *)io->buffer - (char *)io->home);
	const uint32_t bytes = io->length + moved;
	const uint64_t offset = io->offset - moved;

	for (uint32_t at = 0, length = 0; at + VERIFY_HEADER_BYTES <= bytes; at += length) {
		const char *fault = unit_fault(v, (char *)io->home + at, offset + at, bytes - at,
					       &length);

		if (!fault)
			continue;
		snprintf(text, VERIFY_TEXT, "the block at offset %" PRIu64 " %s", offset + at,
			 fault);
		return -EILSEQ;
	}
	return 0;
}
