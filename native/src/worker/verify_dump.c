/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/verify_dump.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void tell(struct verify_fault *fault, const char *before, const char *what,
		 const char *after)
{
	const size_t length = strlen(fault->text);

	snprintf(fault->text + length, sizeof(fault->text) - length, "%s%s%s", before, what,
		 after);
}

/* A link that is there is not followed, as results are written for others, too. */
static int write_file(const char *name, const uint8_t *data, uint32_t length)
{
	const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	int error = fd < 0 ? errno : 0;

	for (uint32_t at = 0; !error && at < length;) {
		const ssize_t count = write(fd, data + at, length - at);

		if (count < 0)
			error = errno == EINTR ? 0 : errno;
		else
			at += (uint32_t)count;
	}
	if (fd >= 0 && close(fd) && !error)
		error = errno;
	return error;
}

static void dump(struct verify_fault *fault, const char *path, uint64_t offset, const char *kind,
		 const uint8_t *data)
{
	const char *slash = strrchr(path, '/');
	char name[256];
	int error;

	if (snprintf(name, sizeof(name), "%s.%" PRIu64 ".%s", slash ? slash + 1 : path, offset,
		     kind) >= (int)sizeof(name)) {
		tell(fault, "; its name is too long for a dump", "", "");
		return;
	}
	error = write_file(name, data, fault->bytes);
	if (error)
		tell(fault, "; no dump: ", strerror(error), "");
	else
		tell(fault, "; in '", name, "'");
}

void verify_dump(const struct verify *v, const struct verify_block *b, struct verify_fault *fault,
		 const char *path)
{
	struct verify_block wanted = *b;

	dump(fault, path, b->offset + fault->at, "received", b->data + fault->at);
	wanted.data = malloc(b->length);
	if (wanted.data && verify_expected(v, b, &wanted))
		dump(fault, path, b->offset + fault->at, "expected", wanted.data + fault->at);
	else
		tell(fault, "; what was there before is not known", "", "");
	free(wanted.data);
}
