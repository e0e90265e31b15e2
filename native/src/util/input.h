/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_INPUT_H
#define IOGATE_INPUT_H

#include <stdint.h>

/* Files that a command line or a job names to be read. */

/* Open a regular file of at most `most` bytes to read it, and give its size. A descriptor,
 * or -errno: -EISDIR, -EFBIG, and -EINVAL for what is no file (a pipe, a socket, a device):
 * those are not opened at all, as that may wait, or do something. */
int input_open(const char *path, uint64_t most, uint64_t *size);

/* What an error of it means, for "cannot read …: %s". */
const char *input_error(int error);

#endif
