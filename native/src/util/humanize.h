/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_HUMANIZE_H
#define IOGATE_HUMANIZE_H

#include <stdint.h>

/* Numbers for people, in at most a given number of characters before the unit. */

enum { HUMANIZE_SIZE = 32 };

/* "58.8MiB" with base 1024, "61.7MB" with base 1000; each with four characters. */
const char *humanize_bytes(char room[HUMANIZE_SIZE], uint64_t bytes, unsigned base,
			   int characters);
const char *humanize_bits(char room[HUMANIZE_SIZE], uint64_t bits, unsigned base,
			  int characters);	/* "470Mibit", "494Mbit" */

/* "12.8k" with four characters, "2646.4M" with six. */
const char *humanize_count(char room[HUMANIZE_SIZE], uint64_t count, int characters);

#endif
