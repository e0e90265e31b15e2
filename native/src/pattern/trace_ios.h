/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_TRACE_IOS_H
#define IOGATE_TRACE_IOS_H

#include <stddef.h>

#include "job/job.h"

/*
 * An I/O log to replay (read_iolog), versions 2 and 3. Offsets and lengths are bytes as
 * they will be issued; due_ns counts from the start of the replay, never goes back, and is
 * 0 throughout with replay_no_stall.
 */
struct trace_io {
	uint64_t due_ns, offset;
	uint32_t length;		/* 0 for DIR_SYNC, but for SYNC_RANGE */
	uint16_t file;
	uint8_t dir;			/* enum io_dir */
	uint8_t data_only;		/* of a DIR_SYNC: fdatasync, or SYNC_RANGE */
};

struct trace_file {
	const char *path;
	uint64_t end_bytes;		/* where its last I/O ends */
};

struct trace {
	struct trace_io *ios;
	size_t count, capacity;
	struct trace_file *files;	/* those that have I/O */
	uint32_t files_count, files_capacity;
	uint32_t rw;			/* RW_ bits: which there are */
	uint32_t length_max[DIR_DATA_COUNT];
	uint64_t bytes;
	struct arena *memory;		/* of the paths */
};

#endif
