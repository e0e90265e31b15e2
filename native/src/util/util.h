/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The room util: what any program could need. Nothing here knows of storage, jobs or clocks.
 *
 *	err.h		how errors travel: a code upwards, a text beside it
 *	arena.h		memory that is freed all at once
 *	units.h		numbers, sizes and times from text
 *	humanize.h	numbers as text for people
 *	random.h	random numbers, and a random order without memory
 *	json.h		JSON written straight to a stream
 *	input.h		files that a user names, opened with care
 *	streams.h	stdin, stdout and stderr that are closed
 *	namelist.h	"a:b:c" as fio's filename= has it
 *	cpus.h		lists of CPUs, and keeping to them
 *	nodes.h		lists of nodes of memory, and where memory comes from
 *	text_map.h	values by name
 *	suggest.h	"did you mean"
 *	crc32c.h	a checksum
 *	version.h	the program's name and version, and the one it goes by
 */
#ifndef IOGATE_UTIL_H
#define IOGATE_UTIL_H
#endif
