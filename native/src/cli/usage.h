/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_USAGE_H
#define IOGATE_USAGE_H

#include <stdio.h>

/* --help, from the table of commands. */
void usage_print(FILE *out);

#endif
