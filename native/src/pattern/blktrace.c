/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/blktrace.h"

#include <byteswap.h>
#include <errno.h>
#include <limits.h>
#include <linux/blktrace_api.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/arena.h"

enum {
	SECTOR_BYTES = 512,
	MINOR_BITS = 20,		/* of a device number as the kernel has it inside */
	MAGIC_MASK = 0xffffff00,	/* the byte left out is a version */
	ACTION_MASK = 0xffff,
};

/* In this machine's byte order, whatever the trace's is. */
static struct blk_io_trace record_at(const char *bytes, bool swapped)
{
	struct blk_io_trace t;

	memcpy(&t, bytes, sizeof(t));
	if (!swapped)
		return t;
	t.magic = bswap_32(t.magic);
	t.time = bswap_64(t.time);
	t.sector = bswap_64(t.sector);
	t.bytes = bswap_32(t.bytes);
	t.action = bswap_32(t.action);
	t.device = bswap_32(t.device);
	t.pdu_len = bswap_16(t.pdu_len);
	return t;
}

static bool has_magic(const char *bytes, size_t length, bool swapped)
{
	return length >= sizeof(struct blk_io_trace) &&
	       (record_at(bytes, swapped).magic & MAGIC_MASK) == BLK_IO_TRACE_MAGIC;
}

bool blktrace_is_meant(const char *bytes, size_t length)
{
	return has_magic(bytes, length, false) || has_magic(bytes, length, true);
}

static int add_device(struct trace_reader *r, uint32_t device)
{
	char text[32];
	struct word name = { .text = text };

	name.length = (size_t)snprintf(text, sizeof(text), "%u:%u", device >> MINOR_BITS,
				       device & ((1u << MINOR_BITS) - 1));
	return trace_add_file(r, &name);
}

static uint8_t dir_of(const struct blk_io_trace *t)
{
	if (t->action & BLK_TC_ACT(BLK_TC_DISCARD))
		return DIR_TRIM;
	return t->action & BLK_TC_ACT(BLK_TC_WRITE) ? DIR_WRITE : DIR_READ;
}

/* A discard may be longer than an I/O can be. */
static int add_transfer(struct trace_reader *r, const struct blk_io_trace *t, struct trace_io io)
{
	int ret = 0;

	io.dir = dir_of(t);
	if (r->job->replay.skip & (1u << io.dir))
		return 0;
	if (t->sector > INT64_MAX / SECTOR_BYTES)
		return trace_line_error(r, "no device has a sector of its number");
	io.offset = t->sector * SECTOR_BYTES;
	for (uint64_t left = t->bytes; !ret && left; left -= io.length, io.offset += io.length) {
		io.length = left < TRACE_LENGTH_MAX ? (uint32_t)left : TRACE_LENGTH_MAX;
		ret = trace_add_transfer(r, io, io.length);
	}
	return ret;
}

/* Neither what is no I/O of the device's data, nor what became of one later. */
static bool counts(const struct blk_io_trace *t)
{
	const uint32_t others = BLK_TC_ACT(BLK_TC_NOTIFY) | BLK_TC_ACT(BLK_TC_PC);

	return !(t->action & others) && (t->action & ACTION_MASK) == __BLK_TA_QUEUE &&
	       (t->bytes || t->action & BLK_TC_ACT(BLK_TC_FLUSH));
}

static int add_record(struct trace_reader *r, const struct blk_io_trace *t, uint64_t *first_ns)
{
	const bool flushes = t->action & BLK_TC_ACT(BLK_TC_FLUSH);
	int ret = add_device(r, t->device);
	const struct trace_io io = { .file = (uint16_t)ret, .dir = DIR_SYNC };

	if (ret < 0)
		return ret;
	if (*first_ns == UINT64_MAX)
		*first_ns = t->time;
	if (t->time > *first_ns && t->time - *first_ns > r->now_ns)
		r->now_ns = t->time - *first_ns;
	if (r->now_ns > TRACE_TIME_MAX_NS)
		return trace_line_error(r, "its time is too far from the first one's");
	ret = flushes && !(r->job->replay.skip & (1u << DIR_SYNC)) ? trace_add_io(r, io) : 0;
	return ret || !t->bytes ? ret : add_transfer(r, t, io);
}

int blktrace_read(struct trace_reader *r, const char *bytes, size_t length)
{
	const bool swapped = !has_magic(bytes, length, false);
	uint64_t first_ns = UINT64_MAX;
	size_t at = 0;
	int ret = 0;

	while (!ret && at < length) {
		struct blk_io_trace t;

		r->line++;
		if (!has_magic(bytes + at, length - at, swapped))
			return trace_line_error(r, "this record of the trace is damaged or cut");
		t = record_at(bytes + at, swapped);
		at += sizeof(t);
		if (t.pdu_len > length - at)
			return trace_line_error(r, "this record of the trace is cut");
		at += t.pdu_len;
		ret = counts(&t) ? add_record(r, &t, &first_ns) : 0;
	}
	return ret;
}

/* The name in /dev, which for some drivers has a directory: the kernel writes ! for its slash. */
static const char *node_of(const char *number, struct arena *memory)
{
	char link[64], to[PATH_MAX], *name;
	ssize_t length;

	snprintf(link, sizeof(link), "/sys/dev/block/%.40s", number);
	length = readlink(link, to, sizeof(to) - 1);
	if (length < 0)
		return NULL;
	to[length] = '\0';
	name = strrchr(to, '/');
	name = name ? name + 1 : to;
	for (char *mark = strchr(name, '!'); mark; mark = strchr(mark, '!'))
		*mark = '/';
	return arena_format(memory, "/dev/%s", name);
}

int blktrace_name_devices(struct trace *t, const char *name, struct err *err)
{
	for (uint32_t i = 0; i < t->files_count; i++) {
		const char *node = node_of(t->files[i].path, t->memory);

		if (!node)
			return err_set(err, -ENODEV, "%s: it is of device %s, which is not here: "
				       "name one to replay it on with replay_redirect=", name,
				       t->files[i].path);
		t->files[i].path = node;
	}
	return 0;
}
