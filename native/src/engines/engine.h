/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_ENGINE_H
#define IOGATE_ENGINE_H

#include <stdint.h>

#include "job/job.h"
#include "util/err.h"

/*
 * What an ioengine is given and must do. One file in engines/, one X(name) in
 * engines/engines.h. An engine of depth 1 is synchronous: queue() notes the I/O,
 * commit() does it, reap() hands it back; the loop needs no second path.
 * reap(min) waits until min I/Os are done, and returns at most reap_max of them; min 0
 * only looks. What commit() could not hand over, reap() or the next commit() does.
 */

/* One I/O in flight: a cache line. What else an engine needs of each is engine_io_space(). */
struct io {
	uint64_t offset;
	void *buffer;
	uint64_t start_ticks, issue_ticks;	/* created; handed to the kernel */
	/* intended start of a rate-limited one; else 0 */
	uint64_t due_ticks;
	union {
		struct {
			uint32_t length;
			uint16_t file;		/* index into engine.files */
			uint8_t dir;		/* enum io_dir: each engine does every kind, or
					 * hands it back with -EOPNOTSUPP */
			uint8_t data_only;	/* of a DIR_SYNC: fdatasync */
		};
		uint64_t what;		/* these four, copied from struct pattern_io at once */
	};
	uint32_t slot;			/* 0 .. depth-1 */
	/* of the engine: bytes moved or trimmed (0 for DIR_SYNC), -errno, or IO_NO_MORE */
	int32_t result;
	void *home;			/* where its buffer begins; buffer moves on after a
					 * short transfer */
} __attribute__((aligned(64)));

/* The result of one that did nothing, as there is nothing left to do: it ends the job, which has
 * not failed. */
enum { IO_NO_MORE = INT32_MIN };

/* A power of 2 in size: an index costs a shift and no multiplication. */
struct engine_file {
	int fd;
	union {
		int claim_fd;		/* of a device that is claimed: trims need it; 0: none */
		int folder_fd;		/* with ENGINE_BY_NAME: the directory that it is in */
	};
	uint64_t end_bytes;		/* where the region that the job may touch ends */
	const char *path;
	const char *name;		/* what it is called in that directory */
} __attribute__((aligned(32)));

enum engine_stop {			/* 0: go on */
	ENGINE_STOP_RUN = 1,		/* the run is to end */
	ENGINE_STOP_ALONE,		/* the job that this one waits for has failed */
};

struct engine {
	const struct engine_ops *ops;
	const struct job *job;
	void *state;			/* ops->state_size bytes, zeroed, 64-byte aligned */
	void *io_spaces;		/* depth * ops->io_space bytes, the same */
	struct engine_file *files;
	uint32_t files_count;
	uint32_t clone;			/* of the job, from 0 on */
	uint32_t depth;
	uint32_t reap_max;		/* 1 .. depth */
	uint64_t timeout_ns;		/* of the next reap(): it may give back 0; 0: none */
	struct io *ios;			/* depth of them */
	void *buffers;			/* depth * buffer_bytes, page aligned */
	uint64_t buffer_bytes;
	struct err *err;
	const _Atomic uint32_t *stop;	/* enum engine_stop: end, whoever this one waits for */
	bool failed;			/* in close(): the job has */
};

enum {
	ENGINE_NO_DIRECT = 1,		/* cannot do O_DIRECT (mmap) */
	ENGINE_NO_DATA = 2,		/* moves no bytes and needs no size (cpuio) */
	ENGINE_PUNCHES = 4,		/* its trims are of files, not of devices (falloc) */
	ENGINE_DELETES = 8,		/* a file that is there is deleted as it is: filling it
					 * would reach what a link leads to */
	ENGINE_BY_NAME = 16,		/* its I/O is a call on a name in a directory: what was
					 * looked at stays what is changed, whatever becomes of
					 * the path */
	ENGINE_RUNS = 32,		/* a program, which may reach anything (exec) */
	ENGINE_ENDS = 64,		/* what it reads comes from somebody else: a result of 0
					 * is the end of the job, and no error (net) */
};

/*
 * An engine's own way with what a job's filename= names, step by step; where a member is
 * NULL the room target does what it does with files and devices, its checks of what is in
 * use and of --expect included; of ENGINE_BY_NAME the directory is always target's to open.
 * Functions that fail return -errno with a text in *err.
 */
struct engine_files {
	/* How many bytes are there before the job begins; 0: none yet. Changes nothing. */
	int (*size)(const struct job *job, const struct engine_file *file, uint64_t *bytes,
		    struct err *err);
	/* Before all jobs begin: have file->end_bytes there, to be read and written. */
	int (*layout)(const struct job *job, const struct engine_file *file, struct err *err);
	/* In the worker, before ops->open: set file->fd, or leave it at -1. */
	int (*open)(const struct job *job, struct engine_file *file, struct err *err);
	/* After ops->close, of a file whose fd is not -1. */
	void (*close)(const struct job *job, struct engine_file *file);
	/* With unlink=1, when all jobs have ended. */
	void (*unlink)(const struct job *job, const struct engine_file *file);
};

extern const struct engine_files engine_no_files;	/* each of them does nothing */

struct engine_ops {
	const char *name, *help;
	uint32_t depth_max;		/* 1: synchronous */
	uint32_t flags, state_size;
	uint32_t io_space;		/* bytes of its own that each I/O has; 0: none */
	const struct option *options;	/* engine-only job keys (job/option.h), or NULL */
	const struct engine_files *files;	/* NULL: target's way with all of them */
	/* Of a job: the name, below its directory, of one more file that is written, as the
	 * blocks of its own are exchanged for it. It is looked at as they are, and open at
	 * files[files_count]. NULL: there is none. */
	const char *(*donor)(const struct job *job);
	/* Control path: may allocate, may fail: 0 or -errno with text in e->err. */
	/* Of a job whose options all have their values, before anything is touched: refuse
	 * what cannot be with a text for *err, or derive an option from others. NULL: none. */
	int (*check)(struct job *job, struct err *err);
	int (*open)(struct engine *e);
	void (*close)(struct engine *e);
	/* One clone of each waits for the other in its open(). NULL: none does. */
	bool (*meets)(const struct job *a, uint32_t clone_a, const struct job *b, uint32_t clone_b);
	/* A file was opened after open(), or closed before close(): files[file].fd is then -1, as
	 * it is in open() of those that are not open yet. NULL: nothing depends on it. */
	int (*file_changed)(struct engine *e, uint32_t file);
	/* Hot path. */
	/* cannot fail: never exceeds depth */
	void (*queue)(struct engine *e, struct io *io);
	/* number handed over, or -errno, with text in e->err where there is more to say */
	int (*commit)(struct engine *e);
	/* Of an I/O that was queued and not yet handed over; NULL: not to be had. */
	void (*prioritize)(struct engine *e, const struct io *io, uint16_t priority);
	int (*reap)(struct engine *e, unsigned min, struct io **done); /* completed, or -errno */
	/* Size of the struct that the offsets of options are into: job.engine_options. */
	uint32_t options_size;
};

/* Of the slot of an I/O: what an engine leaves there is there for the slot's next. */
static inline void *engine_io_space(const struct engine *e, uint32_t slot)
{
	return (char *)e->io_spaces + (size_t)slot * e->ops->io_space;
}

/* Touches nothing outside this process (null, cpuio). */
static inline bool engine_is_diskless(const struct engine_ops *ops)
{
	return ops->files == &engine_no_files;
}

/* One I/O in flight at a time: no submission latency, and iodepth means nothing. */
static inline bool engine_is_sync(const struct engine_ops *ops)
{
	return ops->depth_max == 1;
}

#endif
