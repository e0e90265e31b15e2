/* SPDX-License-Identifier: Apache-2.0 */
#include "util/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int check(const struct stat *st, uint64_t most)
{
	if (S_ISDIR(st->st_mode))
		return -EISDIR;
	if (!S_ISREG(st->st_mode))
		return -EINVAL;
	return (uint64_t)st->st_size > most ? -EFBIG : 0;
}

int input_open(const char *path, uint64_t most, uint64_t *size)
{
	struct stat st;
	int fd, code;

	if (stat(path, &st))
		return -errno;
	code = check(&st, most);
	if (code)
		return code;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* again: the name may be another one's by now */
	code = fstat(fd, &st) ? -errno : check(&st, most);
	if (code) {
		close(fd);
		return code;
	}
	*size = (uint64_t)st.st_size;
	return fd;
}

const char *input_error(int error)
{
	if (error == EINVAL)
		return "it is no regular file";
	return strerror(error);
}
