/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/textfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/input.h"

enum { FILE_MAX = 16 << 20, READ_STEP = 65536 };

static char *read_stream(FILE *stream, size_t *length)
{
	char *text = NULL, *larger;
	size_t size = 0, got;

	*length = 0;
	do {
		if (size - *length < READ_STEP) {
			size = size ? 2 * size : 2 * (size_t)READ_STEP;
			larger = realloc(text, size);
			if (!larger) {
				free(text);
				errno = ENOMEM;
				return NULL;
			}
			text = larger;
		}
		got = fread(text + *length, 1, READ_STEP, stream);
		*length += got;
	} while (got && *length <= FILE_MAX);
	if (ferror(stream) || *length > FILE_MAX) {
		const int why = *length > FILE_MAX ? EFBIG : errno;

		free(text);
		errno = why;
		return NULL;
	}
	return text;
}

static char *read_path(const char *path, size_t *length)
{
	uint64_t size;
	const int fd = input_open(path, FILE_MAX, &size);
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "r");
	char *text;
	int why = fd < 0 ? -fd : errno;

	if (!stream) {
		if (fd >= 0)
			close(fd);
		errno = why;
		return NULL;
	}
	text = read_stream(stream, length);
	why = errno;
	fclose(stream);
	errno = why;
	return text;
}

int textfile_add_jobs(struct job_builder *b, const char *path, struct err *err)
{
	const bool standard = !strcmp(path, "-");
	size_t length;
	char *text = standard ? read_stream(stdin, &length) : read_path(path, &length);
	int code;

	if (!text)
		return err_set(err, -errno, "cannot read the job file '%s': %s", path,
			       input_error(errno));
	code = job_builder_file(b, standard ? "stdin" : path, text, length, err);
	free(text);
	return code;
}

/* `path` beside the file `from`, to be freed; NULL when that is the same path. */
static char *beside(const char *path, const char *from)
{
	const char *slash = from ? strrchr(from, '/') : NULL;
	char *joined;

	if (!slash || *path == '/')
		return NULL;
	if (asprintf(&joined, "%.*s/%s", (int)(slash - from), from, path) < 0)
		return NULL;
	return joined;
}

static char *include(void *context, const char *path, const char *from, size_t *length,
		     struct err *err)
{
	char *text = read_path(path, length);
	const int why = errno;
	char *joined = text ? NULL : beside(path, from);

	(void)context;
	if (joined)
		text = read_path(joined, length);
	free(joined);
	if (!text)
		err_set(err, -why, "cannot include '%.200s': %s (it is looked for from the "
			"working directory, then beside this file)", path, input_error(why));
	return text;
}

static const char *environment(void *context, const char *name)
{
	(void)context;
	return getenv(name);
}

const struct job_source textfile_source = { include, environment, NULL };
