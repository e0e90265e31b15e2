/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/crc32c.h"

enum { VERSION = 3, LAST_MAX = 1 << 20 };

/* All little-endian. */
struct front {
	uint64_t version, bytes;	/* of what follows */
	uint32_t crc, reserved;
};

struct body {
	uint64_t last_count;
	uint32_t depth, files;
	uint64_t writes;
	uint64_t random[8];
	char name[STATE_NAME_BYTES];
};

_Static_assert(sizeof(struct front) == 24 && sizeof(struct body) == 152,
	       "states are written to files");

size_t state_bytes(const struct verify_state *s)
{
	return sizeof(struct front) + sizeof(struct body) + s->last_count * sizeof(*s->last);
}

void state_pack(const struct verify_state *s, uint8_t *to)
{
	struct body body = { .last_count = s->last_count, .depth = s->depth, .files = s->files,
			     .writes = s->writes };
	struct front front = { .version = VERSION, .bytes = state_bytes(s) - sizeof(front) };
	uint8_t *at = to + sizeof(front);

	memcpy(body.name, s->name, sizeof(body.name));
	memcpy(at, &body, sizeof(body));
	if (s->last_count)
		memcpy(at + sizeof(body), s->last, s->last_count * sizeof(*s->last));
	front.crc = ~crc32c(at, front.bytes);
	memcpy(to, &front, sizeof(front));
}

static int check_front(const uint8_t *from, size_t bytes, struct err *err)
{
	struct front front;

	if (bytes < sizeof(front) + sizeof(struct body))
		return err_set(err, -EINVAL, "it is too short");
	memcpy(&front, from, sizeof(front));
	if (front.version != VERSION)
		return err_set(err, -EINVAL, "it is of version %llu, not %d",
			       (unsigned long long)front.version, VERSION);
	if (front.bytes != bytes - sizeof(front))
		return err_set(err, -EINVAL, "it is cut off, or not of this kind");
	if (front.crc != (uint32_t)~crc32c(from + sizeof(front), front.bytes))
		return err_set(err, -EINVAL, "it is damaged: its checksum is another");
	return 0;
}

int state_unpack(const uint8_t *from, size_t bytes, struct verify_state *s, struct err *err)
{
	struct body body;
	int code = check_front(from, bytes, err);

	*s = (struct verify_state){ .last = NULL };
	if (code)
		return code;
	memcpy(&body, from + sizeof(struct front), sizeof(body));
	from += sizeof(struct front) + sizeof(body);
	bytes -= sizeof(struct front) + sizeof(body);
	if (body.last_count > LAST_MAX || body.last_count * sizeof(*s->last) != bytes)
		return err_set(err, -EINVAL, "it says that it holds another number of writes");
	s->writes = body.writes;
	s->depth = body.depth;
	s->files = body.files;
	memcpy(s->name, body.name, sizeof(body.name));
	s->name[sizeof(s->name) - 1] = '\0';
	s->last = malloc(bytes + 1);
	if (!s->last)
		return err_set(err, -ENOMEM, "no memory");
	memcpy(s->last, from, bytes);
	s->last_count = (uint32_t)body.last_count;
	return 0;
}

bool state_has(const struct verify_state *s, uint64_t number, uint32_t file, uint64_t offset)
{
	const uint64_t flying = (uint64_t)s->depth * s->files;

	if (number >= s->writes)
		return false;
	if (s->writes - number > flying)
		return true;
	for (uint32_t i = 0; i < s->last_count; i++) {
		if (s->last[i].file == file && s->last[i].offset == offset)
			return true;
	}
	return false;
}
