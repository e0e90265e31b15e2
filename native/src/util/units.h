/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_UNITS_H
#define IOGATE_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/*
 * Numbers as job files write them: "4k", "0x1000", "1.5k", " 64 k ", "(2*4k+512)",
 * "30", "2min". Blanks around numbers, units and operators do not matter; letters
 * may be of either case. All return 0 or -EINVAL with the reason in *err, without
 * a place: the caller knows where the text stood.
 */

/* A plain number or a size. Suffixes k m g t p mean powers of kb_base (1024 or
 * 1000); ki, mi, … (with or without b) are always powers of 1024. */
int units_number(const char *text, uint32_t kb_base, uint64_t *value, struct err *err);

/* A size as fio gives it: bytes, or percent of the file or device (then bytes is 0).
 * zones ("3z") is for the parser alone: in a resolved job it is part of bytes. */
struct size_value {
	uint64_t bytes;
	uint32_t percent, zones;
};

/* A size, "50%" of something (percent), or "3z", a number of zones. */
int units_size(const char *text, uint32_t kb_base, struct size_value *value,
	       struct err *err);

/* A time in ns; a number without a unit counts in default_unit_ns. */
int units_time(const char *text, uint64_t default_unit_ns, uint64_t *ns, struct err *err);

/* How many characters of a percent sign stand at "at": 1, or 2 for "%%", as programs write it
 * whose own configuration files need it doubled (Python's configparser); 0 for none. */
size_t units_percent_sign(const char *at);

/* "37" or "37%"; of "37.5", 37. */
int units_percent(const char *text, uint32_t *percent, struct err *err);

#endif
