/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/header.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "util/crc32c.h"
#include "verify/sums.h"

_Static_assert(HEADER_BYTES == 40, "headers are written to disks");

static const uint16_t magic = 0xacca;

uint32_t header_bytes(enum verify_method method)
{
	return method == VERIFY_PATTERN || method == VERIFY_NULL ? 0
	       : HEADER_BYTES + sum_of(method)->bytes;
}

uint32_t header_unit_min(enum verify_method method)
{
	return header_bytes(method) + (method == VERIFY_SHA512 ? sum_of(method)->bytes : 1);
}

static uint32_t own_sum(const struct header *h)
{
	return ~crc32c(h, offsetof(struct header, crc));
}

void header_write(uint8_t *to, struct header h)
{
	h.magic = magic;
	h.crc = own_sum(&h);
	memcpy(to, &h, sizeof(h));
}

static const char *method_name(uint16_t method)
{
	const char *name = sum_of((enum verify_method)method)->name;

	return name ? name : "unknown";
}

/* Of another run, or of another moment of this one: what was written last is not there. */
static bool is_stale(const struct header *h, const struct header_wanted *w,
		     char text[FAULT_BYTES])
{
	if (w->seed_counts && h->seed != w->seed)
		return snprintf(text, FAULT_BYTES, "is data of an earlier write, so the last one "
				"was lost: seed %016" PRIx64 " expected, %016" PRIx64 " found",
				w->seed, h->seed);
	if (w->number_counts && h->number != w->number)
		return snprintf(text, FAULT_BYTES, "is data of another write of this run, so one "
				"was lost: write number %u expected, %u found", w->number,
				h->number);
	return false;
}

bool header_read(const uint8_t *from, const struct header_wanted *w, struct header *h,
		 char text[FAULT_BYTES])
{
	memcpy(h, from, sizeof(*h));
	if (h->magic != magic)
		return !snprintf(text, FAULT_BYTES, "holds no header, so it was never written with "
				 "verify, or is damaged: magic %04x expected, %04x found", magic,
				 h->magic);
	if (h->crc != own_sum(h))
		return !snprintf(text, FAULT_BYTES, "has a damaged header: its checksum %08x "
				 "expected, %08x found", h->crc, own_sum(h));
	if (h->offset != w->offset)
		return !snprintf(text, FAULT_BYTES, "is data of another place: offset %" PRIu64
				 " expected, %" PRIu64 " found", w->offset, h->offset);
	if (h->method != w->method)
		return !snprintf(text, FAULT_BYTES, "was written with another verify: %s expected, "
				 "%s (%u) found", method_name(w->method), method_name(h->method),
				 h->method);
	if (h->length != w->length)
		return !snprintf(text, FAULT_BYTES, "was written with another bs or "
				 "verify_interval: length %" PRIu32 " expected, %" PRIu32 " found",
				 w->length, h->length);
	return !is_stale(h, w, text);
}
