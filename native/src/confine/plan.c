/* SPDX-License-Identifier: Apache-2.0 */
#include "confine/plan.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <string.h>
#include <sys/sysmacros.h>

static const char SCHEMA[] = "confine/1";
enum { DEVICE_NUMBER_MAX = UINT32_MAX };

/* What is left of a line. */
struct slice {
	const char *at;
	size_t length;
};

struct name_value {
	const char *name;
	uint64_t value;
};

static const struct name_value capability_names[] = {
	{ "dac_override", CAP_DAC_OVERRIDE }, { "sys_nice", CAP_SYS_NICE },
	{ "ipc_lock", CAP_IPC_LOCK }, { "setuid", CAP_SETUID }, { "setgid", CAP_SETGID },
	{ NULL, 0 },
};

static const struct name_value layer_names[] = {
	{ "landlock", LAYER_LANDLOCK }, { "namespaces", LAYER_NAMESPACES },
	{ "read-only", LAYER_READ_ONLY }, { "network", LAYER_NETWORK },
	{ "capabilities", LAYER_CAPABILITIES }, { "processes", LAYER_PROCESSES },
	{ "calls", LAYER_CALLS }, { "family", LAYER_FAMILY }, { NULL, 0 },
};

static const struct name_value kind_names[] = {
	{ "block", PLACE_BLOCK }, { "file", PLACE_FILE }, { "directory", PLACE_DIRECTORY },
	{ "new", PLACE_NEW }, { NULL, 0 },
};

static const struct name_value access_names[] = {
	{ "ro", 0 }, { "rw", 1 }, { "rwl", 2 }, { NULL, 0 },
};
static const struct name_value network_names[] = { { "host", 1 }, { NULL, 0 } };
static const struct name_value protocol_names[] = { { "tcp", 1 }, { NULL, 0 } };

static bool equals(struct slice s, const char *text)
{
	return strlen(text) == s.length && !memcmp(text, s.at, s.length);
}

/* Up to the next blank, which goes, too. */
static struct slice next_word(struct slice *rest)
{
	const char *blank = rest->length ? memchr(rest->at, ' ', rest->length) : NULL;
	const size_t length = blank ? (size_t)(blank - rest->at) : rest->length;
	const struct slice word = { rest->at, length };
	const size_t taken = blank ? length + 1 : length;

	rest->at += taken;
	rest->length -= taken;
	return word;
}

static int bad(struct err *err, const char *what, struct slice s)
{
	return err_set(err, -EINVAL, "%s '%.*s'", what, (int)(s.length < 80 ? s.length : 80),
		       s.at);
}

static int parse_name(struct slice s, const struct name_value *table, const char *what,
		      uint64_t *value, struct err *err)
{
	for (; table->name; table++) {
		if (equals(s, table->name)) {
			*value = table->value;
			return 0;
		}
	}
	return bad(err, what, s);
}

static int parse_number(struct slice s, uint64_t max, uint64_t *value, struct err *err)
{
	*value = 0;
	for (size_t i = 0; i < s.length; i++) {
		const uint64_t digit = (uint64_t)(unsigned char)s.at[i] - '0';

		if (digit > 9 || *value > (max - digit) / 10)
			return bad(err, "no number, or too large a one:", s);
		*value = *value * 10 + digit;
	}
	return s.length ? 0 : bad(err, "a number is missing before", s);
}

static int parse_device(struct slice s, dev_t *device, struct err *err)
{
	const char *colon = s.length ? memchr(s.at, ':', s.length) : NULL;
	uint64_t major_number, minor_number;
	int ret;

	if (!colon)
		return bad(err, "no major:minor:", s);
	const size_t before = (size_t)(colon - s.at);

	ret = parse_number((struct slice){ s.at, before }, DEVICE_NUMBER_MAX, &major_number, err);
	if (!ret)
		ret = parse_number((struct slice){ colon + 1, s.length - before - 1 },
				   DEVICE_NUMBER_MAX, &minor_number, err);
	if (!ret)
		*device = makedev((unsigned)major_number, (unsigned)minor_number);
	return ret;
}

/* Nothing in it that leads back or stands still: "/a//b", "/a/./b", "/a/../b", "/a/". */
static bool is_plain_path(struct slice s)
{
	if (!s.length || s.at[0] != '/')
		return false;
	for (size_t i = 1, begin = 1; i <= s.length; i++) {
		if (i < s.length && s.at[i] != '/')
			continue;
		const struct slice part = { s.at + begin, i - begin };

		if (!part.length || equals(part, ".") || equals(part, ".."))
			return s.length == 1;
		begin = i + 1;
	}
	return true;
}

static int parse_path(struct confine_plan *p, struct slice s, const char **path, struct err *err)
{
	if (!is_plain_path(s))
		return bad(err, "no absolute path without '.' and '..':", s);
	*path = arena_text(p->arena, s.at, s.length);
	return 0;
}

static int add_text(struct texts *texts, const char *text, struct err *err)
{
	if (texts->count == PLAN_TEXTS_MAX)
		return err_set(err, -EINVAL, "more than %d of this word", PLAN_TEXTS_MAX);
	texts->at[texts->count++] = text;
	return 0;
}

static int parse_identity(struct place *place, struct slice *rest, struct err *err)
{
	int ret = parse_device(next_word(rest), &place->device, err);

	if (!ret)
		ret = parse_number(next_word(rest), UINT64_MAX, &place->inode, err);
	if (!ret)
		ret = parse_device(next_word(rest), &place->rdev, err);
	if (!ret)
		ret = parse_number(next_word(rest), UINT64_MAX, &place->diskseq, err);
	if (!ret)
		ret = parse_number(next_word(rest), UINT64_MAX, &place->size_bytes, err);
	return ret;
}

static int take_place(struct confine_plan *p, struct slice rest, struct err *err)
{
	struct place *place = &p->places[p->places_count];
	uint64_t kind = 0, access = 0;
	int ret;

	if (p->places_count == PLAN_PLACES_MAX)
		return err_set(err, -EINVAL, "more than %d places", PLAN_PLACES_MAX);
	ret = parse_name(next_word(&rest), kind_names, "no kind of place:", &kind, err);
	if (!ret)
		ret = parse_name(next_word(&rest), access_names, "neither ro, rw nor rwl:",
				 &access, err);
	*place = (struct place){ .kind = (enum place_kind)kind, .writable = access,
				 .links = access == 2, .fd = -1, .tree = -1 };
	if (!ret)
		ret = parse_identity(place, &rest, err);
	if (!ret)
		ret = parse_path(p, rest, &place->path, err);
	if (!ret && place->kind == PLACE_NEW && !access)
		ret = err_set(err, -EINVAL, "a new file that may not be written");
	p->places_count += !ret;
	return ret;
}

static int take_read(struct confine_plan *p, struct slice rest, struct err *err)
{
	const char *path = NULL;
	const int ret = parse_path(p, rest, &path, err);

	return ret ? ret : add_text(&p->reads, path, err);
}

static int take_flush(struct confine_plan *p, struct slice rest, struct err *err)
{
	const char *path = NULL;
	const int ret = parse_path(p, rest, &path, err);

	return ret ? ret : add_text(&p->flushes, path, err);
}

static int take_claim(struct confine_plan *p, struct slice rest, struct err *err)
{
	const char *path = NULL;
	const int ret = parse_path(p, rest, &path, err);

	return ret ? ret : add_text(&p->claims, path, err);
}

static int take_set(struct confine_plan *p, struct slice rest, struct err *err)
{
	const char *is = rest.length ? memchr(rest.at, '=', rest.length) : NULL;

	if (!is || is == rest.at)
		return bad(err, "no NAME=VALUE:", rest);
	return add_text(&p->sets, arena_text(p->arena, rest.at, rest.length), err);
}

static int take_keep(struct confine_plan *p, struct slice rest, struct err *err)
{
	if (!rest.length || memchr(rest.at, '=', rest.length))
		return bad(err, "no name of a variable:", rest);
	return add_text(&p->keeps, arena_text(p->arena, rest.at, rest.length), err);
}

static int take_capability(struct confine_plan *p, struct slice rest, struct err *err)
{
	uint64_t number = 0;
	const int ret = parse_name(rest, capability_names, "no capability that can be kept:",
				   &number, err);

	if (!ret)
		p->capabilities |= UINT64_C(1) << number;
	return ret;
}

static int take_network(struct confine_plan *p, struct slice rest, struct err *err)
{
	uint64_t host;

	p->host_network = true;
	return parse_name(rest, network_names, "no network:", &host, err);
}

static int take_port(struct ports *ports, struct slice rest, struct err *err)
{
	uint64_t protocol, port = 0;
	int ret = parse_name(next_word(&rest), protocol_names, "no protocol that can be held:",
			     &protocol, err);

	if (!ret)
		ret = parse_number(rest, UINT16_MAX, &port, err);
	if (!ret && !port)
		ret = err_set(err, -EINVAL, "port 0 is any port");
	if (!ret && ports->count == PLAN_PORTS_MAX)
		ret = err_set(err, -EINVAL, "more than %d ports", PLAN_PORTS_MAX);
	if (!ret)
		ports->at[ports->count++] = (uint16_t)port;
	return ret;
}

static int take_connect(struct confine_plan *p, struct slice rest, struct err *err)
{
	return take_port(&p->connects, rest, err);
}

static int take_bind(struct confine_plan *p, struct slice rest, struct err *err)
{
	return take_port(&p->binds, rest, err);
}

static int take_fd(struct confine_plan *p, struct slice rest, struct err *err)
{
	uint64_t number = 0;
	const int ret = parse_number(rest, UINT16_MAX, &number, err);

	if (!ret && p->fds_count == PLAN_FDS_MAX)
		return err_set(err, -EINVAL, "more than %d descriptors", PLAN_FDS_MAX);
	if (!ret)
		p->fds[p->fds_count++] = (int)number;
	return ret;
}

static int take_require(struct confine_plan *p, struct slice rest, struct err *err)
{
	uint64_t layer = 0;
	const int ret = parse_name(rest, layer_names, "no layer:", &layer, err);

	p->required |= (unsigned)layer;
	return ret;
}

static const struct {
	const char *name;
	int (*take)(struct confine_plan *p, struct slice rest, struct err *err);
} words[] = {
	{ "place", take_place }, { "read", take_read }, { "set", take_set },
	{ "keep", take_keep }, { "capability", take_capability }, { "network", take_network },
	{ "connect", take_connect }, { "bind", take_bind }, { "flush", take_flush },
	{ "claim", take_claim }, { "fd", take_fd }, { "require", take_require },
};

static int take_line(struct confine_plan *p, struct slice line, struct err *err)
{
	const struct slice word = next_word(&line);

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (equals(word, words[i].name))
			return words[i].take(p, line, err);
	}
	return bad(err, "unknown word", word);
}

static struct slice next_line(struct slice *rest)
{
	const char *end = rest->length ? memchr(rest->at, '\n', rest->length) : NULL;
	const size_t length = end ? (size_t)(end - rest->at) : rest->length;
	const struct slice line = { rest->at, length };
	const size_t taken = end ? length + 1 : length;

	rest->at += taken;
	rest->length -= taken;
	return line;
}

static int take_lines(struct confine_plan *p, struct slice rest, struct err *err)
{
	struct err reason = { 0 };

	if (!equals(next_line(&rest), SCHEMA))
		return err_set(err, -EINVAL, "the plan does not begin with %s: it is of another "
			       "version of iogate", SCHEMA);
	for (unsigned number = 2; rest.length; number++) {
		const struct slice line = next_line(&rest);

		if (line.length && take_line(p, line, &reason))
			return err_set(err, -EINVAL, "line %u of the plan: %s", number,
				       reason.text);
	}
	return 0;
}

int confine_plan_parse(struct confine_plan *p, const char *text, size_t length, struct err *err)
{
	*p = (struct confine_plan){ .arena = arena_new() };
	if (length > PLAN_BYTES_MAX)
		return err_set(err, -EINVAL, "the plan has more than %d bytes", PLAN_BYTES_MAX);
	if (length && memchr(text, '\0', length))
		return err_set(err, -EINVAL, "the plan holds a zero byte");
	return take_lines(p, (struct slice){ text, length }, err);
}

void confine_plan_release(struct confine_plan *p)
{
	arena_free(p->arena);
	p->arena = NULL;
}
