/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_TRACE_H
#define IOGATE_TRACE_H

#include <stddef.h>

#include "job/job.h"
#include "util/err.h"

/*
 * An I/O log to replay (read_iolog), versions 2 and 3. Offsets and lengths are bytes as
 * they will be issued; due_ns counts from the start of the replay, never goes back, and is
 * 0 throughout with replay_no_stall.
 */
struct trace_io {
	uint64_t due_ns, offset;
	uint32_t length;		/* 0 for DIR_SYNC */
	uint16_t file;
	uint8_t dir;			/* enum io_dir */
	uint8_t data_only;		/* of a DIR_SYNC: fdatasync */
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

/* Pure; `name` is used in messages. job: its replay_ options. 0 or -EINVAL; release also
 * after a failure. */
int trace_parse(struct trace *t, const struct job *job, const char *name, const char *text,
		size_t length, struct err *err);
/* The same with the text of a file. */
int trace_load(struct trace *t, const struct job *job, const char *path, struct err *err);
void trace_release(struct trace *t);

#endif
