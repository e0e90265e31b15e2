/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/verify_state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/input.h"

enum { STATE_BYTES_MAX = 32 << 20 };

static bool name_of(const struct job *job, uint32_t index, char name[PATH_MAX])
{
	const char *folder = job->verify.state_folder;
	const int begin = folder ? snprintf(name, PATH_MAX, "%s/", folder) : 0;
	int length;

	if (begin >= PATH_MAX)
		return false;
	length = snprintf(name + begin, PATH_MAX - (size_t)begin, "local-%s-%u-verify.state",
			  job->name, index);
	for (char *slash = strchr(name + begin, '/'); slash; slash = strchr(slash, '/'))
		*slash = '.';
	return begin + length < PATH_MAX;
}

void verify_state_save(const struct job *job, uint32_t index, const struct verify_state *s)
{
	const size_t bytes = state_bytes(s);
	uint8_t *packed = malloc(bytes);
	char name[PATH_MAX];
	int fd = -1;

	if (packed && name_of(job, index, name))
		fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd >= 0) {
		state_pack(s, packed);
		if (write(fd, packed, bytes) != (ssize_t)bytes)
			unlink(name);
		close(fd);
	}
	free(packed);
}

int verify_state_load(const struct job *job, uint32_t index, struct verify_state *s,
		      struct err *err)
{
	uint64_t bytes = 0;
	uint8_t *packed = NULL;
	struct err why = { 0 };
	char name[PATH_MAX] = "";
	int code, fd = name_of(job, index, name) ? input_open(name, STATE_BYTES_MAX, &bytes)
						 : -ENAMETOOLONG;

	if (fd < 0)
		return err_set(err, fd, "%s: verify_state_load: cannot read '%.200s': %s",
			       job->name, name, input_error(-fd));
	packed = malloc(bytes + 1);
	if (!packed || read(fd, packed, bytes) != (ssize_t)bytes)
		code = err_set(&why, -EIO, "it cannot be read");
	else
		code = state_unpack(packed, bytes, s, &why);
	if (code)
		err_set(err, code, "%s: verify_state_load: '%.200s': %s", job->name, name,
			why.text);
	free(packed);
	close(fd);
	return code;
}
