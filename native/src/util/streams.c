/* SPDX-License-Identifier: Apache-2.0 */
#include "util/streams.h"

#include <fcntl.h>
#include <unistd.h>

void streams_hold(void)
{
	int fd;

	do
		fd = open("/", O_PATH);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}
