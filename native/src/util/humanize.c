/* SPDX-License-Identifier: Apache-2.0 */
#include "util/humanize.h"

#include <stdio.h>

/* Digits before the point; a double, since UINT64_MAX rounds to what no integer holds. */
static int digits(double value)
{
	int n = 1;

	while (value >= 10) {
		value /= 10;
		n++;
	}
	return n;
}

/* Divide until the whole part fits; what room is left goes to decimals. */
static void scale(char *room, uint64_t value, unsigned base, int characters,
		  const char *const units[])
{
	double scaled = (double)value;
	int unit = 0;

	while (digits(scaled) > characters && units[unit + 1]) {
		scaled /= base;
		unit++;
	}
	int decimals = unit ? characters - digits(scaled) - 1 : 0;

	snprintf(room, HUMANIZE_SIZE, "%.*f%s", decimals > 0 ? decimals : 0, scaled, units[unit]);
}

const char *humanize_bytes(char room[HUMANIZE_SIZE], uint64_t bytes, unsigned base,
			   int characters)
{
	static const char *const iec[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", NULL };
	static const char *const si[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB", NULL };

	scale(room, bytes, base, characters, base == 1024 ? iec : si);
	return room;
}

const char *humanize_bits(char room[HUMANIZE_SIZE], uint64_t bits, unsigned base, int characters)
{
	static const char *const iec[] = { "bit", "Kibit", "Mibit", "Gibit", "Tibit", "Pibit",
					   "Eibit", NULL };
	static const char *const si[] = { "bit", "kbit", "Mbit", "Gbit", "Tbit", "Pbit", "Ebit",
					  NULL };

	scale(room, bits, base, characters, base == 1024 ? iec : si);
	return room;
}

const char *humanize_count(char room[HUMANIZE_SIZE], uint64_t count, int characters)
{
	static const char *const si[] = { "", "k", "M", "G", "T", "P", "E", NULL };

	scale(room, count, 1000, characters, si);
	return room;
}
