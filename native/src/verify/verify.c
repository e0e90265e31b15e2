/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/verify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/random.h"
#include "verify/filling.h"
#include "verify/header.h"
#include "verify/sums.h"

#define SECOND_NS UINT64_C(1000000000)

/* A unit of a block, which has a header of its own. */
struct unit {
	uint8_t *at;
	uint64_t offset;
	uint32_t length;
};

static bool has_headers(const struct verify *v)
{
	return header_bytes(v->job->verify.method);
}

/* As in fio, blocks that are no multiple of verify_interval have one header. */
static uint32_t unit_bytes(const struct verify *v, const struct verify_block *b)
{
	const uint32_t interval = v->job->verify.interval_bytes;

	return interval && !(b->length % interval) ? interval : b->length;
}

static uint64_t seed_of(const struct verify *v, const struct verify_block *b)
{
	return random_mix(v->run ^ random_mix(b->offset ^ (uint64_t)b->file << 48)) + b->number;
}

/* verify_offset: the header changes places with what stands there. */
static void swap_header(const struct verify *v, const struct unit *u)
{
	const uint32_t bytes = header_bytes(v->job->verify.method);
	uint8_t kept[HEADER_BYTES + SUM_BYTES_MAX];
	uint8_t *other = u->at + v->job->verify.offset_bytes;

	if (!v->job->verify.offset_bytes)
		return;
	memcpy(kept, other, bytes);
	memmove(other, u->at, bytes);
	memcpy(u->at, kept, bytes);
}

static void seal_unit(const struct verify *v, const struct unit *u, struct header h)
{
	const struct sum *sum = sum_of(v->job->verify.method);
	const uint32_t before = header_bytes(v->job->verify.method);

	header_write(u->at, h);
	if (sum->make)
		sum->make(u->at + before, u->length - before, u->at + HEADER_BYTES);
	swap_header(v, u);
}

void verify_seal(const struct verify *v, const struct verify_block *b, uint64_t now_ns)
{
	const uint32_t bytes = unit_bytes(v, b);
	const uint64_t since_ns = now_ns - v->begin_ns;
	struct header h = {
		.method = (uint16_t)v->job->verify.method, .length = bytes, .seed = seed_of(v, b),
		.seconds = (uint32_t)(since_ns / SECOND_NS), .ns = (uint32_t)(since_ns % SECOND_NS),
		.thread = v->thread, .number = b->number,
	};

	if (!b->filled)
		filling_make(v->job, b, h.seed);
	for (uint32_t at = 0; has_headers(v) && at < b->length; at += bytes) {
		const struct unit u = { b->data + at, b->offset + at, bytes };

		h.offset = u.offset;
		seal_unit(v, &u, h);
	}
}

/* The first bytes of a sum, for people. */
static const char *hex(const uint8_t *bytes, uint32_t count, char text[2 * 20 + 4])
{
	const uint32_t shown = count > 20 ? 20 : count;

	for (uint32_t i = 0; i < shown; i++)
		snprintf(text + (size_t)2 * i, 3, "%02x", bytes[i]);
	if (shown < count)
		memcpy(text + (size_t)2 * shown, "...", 4);
	return text;
}

static bool sum_is_right(const struct sum *sum, const struct unit *u, char text[FAULT_BYTES])
{
	const uint8_t *stored = u->at + HEADER_BYTES, *data = stored + sum->bytes;
	uint8_t made[SUM_BYTES_MAX];
	char expected[44], computed[44];
	uint32_t from = 0;

	sum->make(data, u->length - HEADER_BYTES - sum->bytes, made);
	if (!memcmp(made, stored, sum->bytes))
		return true;
	while (sum->bytes > 20 && made[from] == stored[from])	/* show where they differ */
		from++;
	snprintf(text, FAULT_BYTES, "does not match its checksum: %s %s expected, %s found",
		 sum->name, hex(stored + from, sum->bytes - from, expected),
		 hex(made + from, sum->bytes - from, computed));
	return false;
}

/* Behind a header, if there is one. */
static bool is_pattern(const struct verify *v, const struct verify_block *b,
		       const struct unit *u, char text[FAULT_BYTES])
{
	const uint32_t at = (uint32_t)(u->at - b->data);

	return filling_is_pattern(v->job, b, at + header_bytes(v->job->verify.method),
				  at + u->length, text, FAULT_BYTES);
}

static bool unit_is_right(const struct verify *v, const struct verify_block *b,
			  const struct unit *u, char text[FAULT_BYTES])
{
	const struct sum *sum = sum_of(v->job->verify.method);
	const struct header_wanted wanted = {
		.offset = u->offset, .seed = seed_of(v, b), .length = u->length,
		.method = (uint16_t)v->job->verify.method, .number = b->number,
		.seed_counts = b->ours && v->job->verify.header_seed,
		.number_counts = b->ours && v->job->verify.write_sequence,
	};
	struct header h;
	bool right;

	swap_header(v, u);
	right = header_read(u->at, &wanted, &h, text) &&
		(!sum->make || sum_is_right(sum, u, text)) &&
		(v->job->verify.method != VERIFY_PATTERN_HDR || is_pattern(v, b, u, text));
	swap_header(v, u);
	return right;
}

static int check_zeros(const struct verify_block *b, struct verify_fault *fault)
{
	for (uint32_t at = 0; at < b->length; at++) {
		if (!b->data[at])
			continue;
		*fault = (struct verify_fault){ .bytes = b->length };
		snprintf(fault->text, VERIFY_TEXT, "block %" PRIu64 " at offset %" PRIu64
			 " was trimmed, and is not zeros: byte %u is 0x%02x",
			 b->offset / b->length, b->offset, at, b->data[at]);
		return -EILSEQ;
	}
	return 0;
}

int verify_check(const struct verify *v, const struct verify_block *b,
		 struct verify_fault *fault)
{
	const bool headers = has_headers(v);
	const uint32_t bytes = headers ? unit_bytes(v, b) : b->length;
	char why[FAULT_BYTES];

	if (v->job->verify.method == VERIFY_NULL)
		return 0;
	if (b->trimmed)
		return check_zeros(b, fault);
	for (uint32_t at = 0; at < b->length; at += bytes) {
		const struct unit u = { b->data + at, b->offset + at, bytes };

		if (headers ? unit_is_right(v, b, &u, why) : is_pattern(v, b, &u, why))
			continue;
		*fault = (struct verify_fault){ .at = at, .bytes = bytes };
		snprintf(fault->text, VERIFY_TEXT, "block %" PRIu64 " at offset %" PRIu64 " %s",
			 u.offset / bytes, u.offset, why);
		return -EILSEQ;
	}
	return 0;
}

/* The header as it was read, if it is one of this place; or else one without its time. */
static struct header header_of(const struct verify *v, const struct verify_block *b,
			       const struct unit *found)
{
	const struct header_wanted any = {
		.offset = found->offset, .length = found->length,
		.method = (uint16_t)v->job->verify.method,
	};
	char text[FAULT_BYTES];
	struct header h;
	bool right;

	swap_header(v, found);
	right = header_read(found->at, &any, &h, text);
	swap_header(v, found);
	if (!right || (b->ours && h.seed != seed_of(v, b)))
		h = (struct header){ .method = any.method, .length = any.length,
				     .seed = b->ours ? seed_of(v, b) : 0, .offset = any.offset,
				     .thread = v->thread, .number = b->number };
	return h;
}

/* Whether a unit of another run is what its checksum was made of. */
static bool is_original(const struct verify *v, const struct unit *found, const struct unit *u)
{
	const struct sum *sum = sum_of(v->job->verify.method);
	bool same;

	swap_header(v, found);
	swap_header(v, u);
	same = sum->bytes && !memcmp(found->at + HEADER_BYTES, u->at + HEADER_BYTES, sum->bytes);
	swap_header(v, found);
	swap_header(v, u);
	return same;
}

bool verify_expected(const struct verify *v, const struct verify_block *found,
		     const struct verify_block *wanted)
{
	const bool pattern = v->job->verify.pattern.length;
	const uint32_t bytes = has_headers(v) ? unit_bytes(v, found) : found->length;
	bool known = pattern || found->ours;

	if (found->trimmed) {
		memset(wanted->data, 0, wanted->length);
		return true;
	}
	if (found->filled || (!pattern && !has_headers(v)))
		return false;
	for (uint32_t at = 0; at < found->length; at += bytes) {
		const struct unit from = { found->data + at, found->offset + at, bytes };
		const struct unit to = { wanted->data + at, wanted->offset + at, bytes };
		struct header h;

		if (!has_headers(v)) {
			filling_make(v->job, wanted, 0);
			return true;
		}
		h = header_of(v, found, &from);
		if (!at)
			filling_make(v->job, wanted, h.seed);
		seal_unit(v, &to, h);
		known = known || is_original(v, &from, &to);
	}
	return known;
}
