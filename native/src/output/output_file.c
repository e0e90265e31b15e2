/* SPDX-License-Identifier: Apache-2.0 */
#include "output/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(const struct output_file *s, const char *what, struct err *err)
{
	return err_set(err, -errno, "cannot %s '%s': %s", what, s->path ? s->path : "stdout",
		       strerror(errno));
}

static int open_temporary(struct output_file *s, struct err *err)
{
	int fd;

	if (asprintf(&s->temporary, "%s.%d.part", s->path, (int)getpid()) < 0) {
		s->temporary = NULL;
		return fail(s, "create", err);
	}
	fd = open(s->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0) {
		int code = fail(s, "create", err);

		free(s->temporary);
		s->temporary = NULL;
		return code;
	}
	s->stream = fdopen(fd, "w");
	return s->stream ? 0 : fail(s, "create", err);
}

static int open_kept(struct output_file *s, struct err *err)
{
	s->fd = open(s->path, O_WRONLY | O_CLOEXEC);
	if (s->fd < 0)
		return fail(s, "open", err);
	s->kept = true;
	s->stream = open_memstream(&s->text, &s->length);
	return s->stream ? 0 : fail(s, "open", err);
}

int output_file_open(struct output_file *s, const char *path, bool grows, struct err *err)
{
	struct stat st;
	bool exists = path && !stat(path, &st);

	*s = (struct output_file){ .stream = stdout, .path = path };
	if (!path)
		return 0;
	if (!grows && !exists)
		return open_temporary(s, err);
	if (!grows && S_ISREG(st.st_mode))
		return open_kept(s, err);
	s->stream = fopen(path, "we");
	return s->stream ? 0 : fail(s, "open", err);
}

static int fill_kept(struct output_file *s)
{
	size_t done = 0;

	if (ftruncate(s->fd, 0))
		return -1;
	while (done < s->length) {
		ssize_t wrote = write(s->fd, s->text + done, s->length - done);

		if (wrote < 0 && errno != EINTR)
			return -1;
		done += wrote > 0 ? (size_t)wrote : 0;
	}
	return 0;
}

int output_file_finish(struct output_file *s, struct err *err)
{
	bool bad = fflush(s->stream) || ferror(s->stream);

	if (s->path)
		bad = fclose(s->stream) || bad;
	s->stream = NULL;
	if (bad || (s->kept && fill_kept(s)))
		return fail(s, "write", err);
	if (s->temporary && rename(s->temporary, s->path))
		return fail(s, "create", err);
	free(s->temporary);
	s->temporary = NULL;
	return 0;
}

void output_file_discard(struct output_file *s)
{
	if (s->stream && s->path)
		fclose(s->stream);
	if (s->temporary)
		unlink(s->temporary);
	if (s->kept)
		close(s->fd);
	free(s->temporary);
	free(s->text);
	*s = (struct output_file){ 0 };
}
