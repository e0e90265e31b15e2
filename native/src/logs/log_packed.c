/* SPDX-License-Identifier: Apache-2.0 */
#include "logs/log_packed.h"

#include <endian.h>
#include <string.h>

static const uint32_t offset_flag = 1u << 31, priority_flag = 1u << 30;

/* Where a field is in a row. */
enum { AT_TIME = 0, AT_VALUE = 8, AT_DIR = 16, AT_PRIORITY = 20, AT_BYTES = 24, AT_OFFSET = 32 };

static void put64(uint8_t *at, uint64_t value)
{
	value = htole64(value);
	memcpy(at, &value, sizeof(value));
}

static void put32(uint8_t *at, uint32_t value)
{
	value = htole32(value);
	memcpy(at, &value, sizeof(value));
}

static uint64_t take64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return le64toh(value);
}

static uint32_t take32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return le32toh(value);
}

size_t log_packed_put(const struct packed_row *p, uint8_t *at)
{
	put64(at + AT_TIME, p->row.time_ms);
	put64(at + AT_VALUE, p->row.value);
	put32(at + AT_DIR, p->row.dir | (p->has_offset ? offset_flag : 0) |
			   (p->has_priority ? priority_flag : 0));
	put32(at + AT_PRIORITY, p->row.priority);
	put64(at + AT_BYTES, p->row.bytes);
	if (!p->has_offset)
		return PACKED_ROW_MIN;
	put64(at + AT_OFFSET, p->row.offset);
	return PACKED_ROW_MAX;
}

size_t log_packed_take(struct packed_row *p, const uint8_t *at, size_t size)
{
	uint32_t dir;

	if (size < PACKED_ROW_MIN)
		return 0;
	dir = take32(at + AT_DIR);
	*p = (struct packed_row){
		.has_offset = dir & offset_flag, .has_priority = dir & priority_flag,
		.row = { .time_ms = take64(at + AT_TIME), .value = take64(at + AT_VALUE),
			 .dir = (uint8_t)dir, .bytes = take64(at + AT_BYTES),
			 .priority = (uint16_t)take32(at + AT_PRIORITY) },
	};
	if (!p->has_offset)
		return PACKED_ROW_MIN;
	if (size < PACKED_ROW_MAX)
		return 0;
	p->row.offset = take64(at + AT_OFFSET);
	return PACKED_ROW_MAX;
}
