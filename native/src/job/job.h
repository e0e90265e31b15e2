/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The room job: what a job is, whoever wrote it and however.
 *
 *	job.h		struct job: every option has its value; nothing changes it any more
 *	option.h	struct option: a row of a table of options, of all jobs or of one ioengine;
 *			struct option_type: how text becomes its field
 *	distribution.h	values that are lists of their own: bssplit, random_distribution
 *
 * How text becomes a job is the room jobfile. It is another room since it has to know the
 * ioengines, and these have to know what a job is.
 */
#ifndef IOGATE_JOB_H
#define IOGATE_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/stats.h"
#include "util/cpus.h"
#include "util/nodes.h"
#include "util/units.h"

struct cmdprio;
struct engine_ops;
struct trace;

/* fio's rw=: which directions, and whether offsets are random. */
enum { RW_READ = 1, RW_WRITE = 2, RW_TRIM = 4, RW_RANDOM = 8 };
enum zone_mode { ZONE_NONE, ZONE_STRIDED, ZONE_ZBD };
enum rate_process { RATE_LINEAR, RATE_POISSON };
/* Their numbers stand in headers on disk (verify/header.h); fio has none of those for 6. */
enum verify_method {
	VERIFY_NONE, VERIFY_META, VERIFY_MD5, VERIFY_CRC64, VERIFY_CRC32, VERIFY_CRC32C,
	VERIFY_CRC16 = 7, VERIFY_CRC7, VERIFY_SHA256, VERIFY_SHA512, VERIFY_SHA3_224,
	VERIFY_SHA3_256, VERIFY_SHA3_384, VERIFY_SHA3_512, VERIFY_XXHASH, VERIFY_SHA1,
	VERIFY_PATTERN_HDR, VERIFY_PATTERN, VERIFY_NULL, VERIFY_METHODS
};
enum preallocation { ALLOCATE_NATIVE, ALLOCATE_NONE, ALLOCATE_POSIX, ALLOCATE_KEEP,
	ALLOCATE_TRUNCATE };
enum file_kind { FILE_ANY, FILE_REGULAR, FILE_BLOCK, FILE_CHARACTER };
enum advice { ADVICE_PATTERN, ADVICE_NONE, ADVICE_RANDOM, ADVICE_SEQUENTIAL, ADVICE_NOREUSE };
enum error_kind { ERROR_READ, ERROR_WRITE, ERROR_VERIFY, ERROR_KINDS };
enum exit_what { EXIT_GROUP, EXIT_WAVE, EXIT_ALL };	/* whom exitall and exitall_on_error end */
enum log_window { LOG_AVERAGE, LOG_MAXIMUM, LOG_BOTH };
enum sync_mode { SYNC_NONE, SYNC_FULL, SYNC_DATA };
/* What a log has of syncs beside fsync and fdatasync, 0 and 1 of data_only: sync_file_range(2),
 * which no ioengine does. */
enum { SYNC_RANGE = 2 };
enum clock_choice { CLOCK_UNSET, CLOCK_GETTIME, CLOCK_CPU };

/* bssplit of one direction: shares add up to 100 %. */
struct block_share {
	uint32_t bytes;
	uint32_t percent;
};
struct block_split {
	const struct block_share *shares;	/* NULL: all of bs */
	uint32_t count;
};

/* Some of many that are drawn more often than the others. */
struct skew {
	enum skew_kind { SKEW_NONE, SKEW_ZIPF, SKEW_PARETO, SKEW_NORMAL } kind;
	double shape;			/* theta, power, or deviation in percent */
	double centre;			/* 0 to 1: the one that is preferred; negative: any */
};

/* Of random_distribution=zoned: so many of the I/Os go to so much of the file. */
struct access_zone {
	uint32_t percent, size_percent;
	uint64_t bytes;			/* of zoned_abs, in place of size_percent */
};
struct access_zones {
	const struct access_zone *all;
	uint32_t count;
};

/* Of random_distribution=sequence: blocks of a file, in this order again and again. */
struct access_sequence {
	const uint64_t *blocks;
	uint32_t count;
	uint64_t span;			/* past the highest of them */
};

/* random_distribution=: a skew, zones, a sequence, or none. */
struct distribution {
	struct skew skew;
	bool in_bytes;
	struct access_sequence sequence;
	struct access_zones zones[DIR_DATA_COUNT];
};

/* file_service_type=: which file comes next. */
struct file_service {
	enum service_kind { SERVICE_ROUND_ROBIN, SERVICE_SEQUENTIAL, SERVICE_DRAWN } kind;
	uint32_t ios;			/* to a file before another one is chosen; 0: 1 */
	struct skew skew;		/* of SERVICE_DRAWN */
};

/* Errors that a job goes on after (ignore_error). */
enum { IGNORED_MAX = 16 };
struct error_list {
	uint16_t codes[IGNORED_MAX];
	uint32_t count;
};

/* steadystate=iops_slope:0.3%: what has to be at most how much, of the mean with percent. */
enum steady_kind { STEADY_IOPS, STEADY_BW, STEADY_LAT };
struct steady_criterion {
	const char *name;
	enum steady_kind kind;
	bool slope, percent;		/* slope: by least squares; or else the largest deviation */
	double limit;
};

/* Sizes from min to max; both 0: unset. */
struct size_range {
	uint64_t min_bytes, max_bytes;
};

/* From min to max; each clone of a job draws its own. */
struct time_range {
	uint64_t min_ns, max_ns;
};

/* Bytes that repeat; length 0: none. */
struct byte_pattern {
	const unsigned char *bytes;
	uint32_t length;
	const uint16_t *places;		/* of verify_pattern: where an offset of 8 bytes stands */
	uint32_t places_count;
};

/* Ascending, in percent. */
enum { PERCENTILES_MAX = 20 };
struct percentile_list {
	double percents[PERCENTILES_MAX];
	uint32_t count;
};

/* One `key=value` as the user wrote it, for `job options` in the JSON and --showcmd. */
struct setting {
	const char *key, *value;	/* canonical key; value "1" for a bare flag */
};

/*
 * A resolved job: every option has its value, aliases and globals are applied,
 * numjobs is still one entry (run.c makes the clones). Immutable after parsing;
 * strings live as long as the job list. Times are ns, sizes bytes, 0 = unset
 * unless said otherwise. Each field is one row of a table of options, and what is of one
 * category is in one part (jobfile/options.h).
 */
struct job {
	const char *name, *description;
	const char *section;		/* as the job file has it: files are named after it */
	const struct engine_ops *ops;
	const struct cmdprio *cmdprio;	/* engines/cmdprio.h; NULL: all I/Os have one priority */
	const void *engine_options;	/* of ops->options: ops->options_size bytes, or NULL */

	/* Kind of I/O. */
	uint32_t rw;			/* RW_ bits */
	uint32_t rwmixread_percent;
	bool direct, norandommap, softrandommap, randrepeat, end_fsync, end_syncfs;
	enum advice advice;		/* to the kernel, of each file (fadvise_hint) */
	enum sync_mode sync;		/* O_SYNC or O_DSYNC */
	uint32_t write_hint;		/* RWH_ of fcntl(2); 0: not told */
	uint32_t fsync, fdatasync;	/* every n writes; 0: never */
	struct sync_range {		/* sync_file_range(2) of what was written */
		uint32_t every, flags;	/* writes; 0: never */
	} sync_range;
	struct distribution distribution;
	bool sequence_moves;		/* its sequence goes on behind itself */
	uint64_t random_percent[DIR_DATA_COUNT];	/* of random I/O: the rest goes on */
	enum { GENERATOR_TAUSWORTHE, GENERATOR_LFSR, GENERATOR_TAUSWORTHE64 } generator;
	struct {			/* rw=...:N (pattern/pattern_sequence.h); 0: none */
		int64_t step;
		enum sequence_kind { SEQUENCE_BLOCKS, SEQUENCE_IDENTICAL } kind;
	} sequence;
	uint64_t randseed;
	struct sprandom {		/* pattern/pattern_sprandom.h */
		bool on;
		uint32_t regions;
		double over_provisioning;	/* more flash than capacity: a part of it */
	} sprandom;

	struct {
		uint64_t runtime_ns, ramp_ns;
		struct time_range startdelay;
		struct size_value ramp;	/* what is moved before anything counts */
		uint32_t loops;
		bool based;		/* runtime is the end, not the amount of I/O */
	} time;
	struct {
		/* ':' separated, `\:` for a colon; NULL: made from name, clone and file number */
		const char *names;
		const char *directory;	/* NULL: working directory */
		const char *format;	/* of names that are made: $jobname and the like */
		const char *below;	/* all files below this directory, too (opendir) */
		const char *scheduler;	/* that the device has to have; NULL: any */
		enum file_kind kind;	/* what all of them have to be */
		uint32_t count;		/* of each clone */
		struct size_range size;	/* of each file; amount.size is then what is moved */
		enum preallocation fallocate;
		uint32_t open;		/* at a time; 0: all of them */
		enum file_locking { LOCKING_NONE, LOCKING_EXCLUSIVE, LOCKING_READWRITE } locking;
		struct file_service service;
		bool overwrite, unlink, unlink_each_loop;
		bool no_create;		/* nothing may be made or extended */
		bool changed;		/* by the ioengine, whatever rw says */
		bool create_on_open, create_only;
		bool no_create_fsync, fsync_on_close;
		bool pre_read;
	} files;
	struct {
		enum zone_mode mode;
		uint64_t size_bytes, range_bytes;
		struct size_value skip;		/* in bytes, once the job is checked */
		/* Of zonemode=zbd (pattern/pattern_zbd.h). */
		uint64_t capacity_bytes;	/* 0: all of a zone */
		uint32_t max_open, job_max_open;	/* written in part at a time; 0: any */
		bool read_beyond, write_remainder;
		double reset_threshold, reset_frequency;	/* 0 to 1 */
	} zones;
	struct {
		struct size_value size, io_size, offset;
		struct size_value increment;	/* of offset, from clone to clone */
		uint64_t align_bytes;		/* of an offset in %; 0: a block */
		bool append;		/* begin at the end of a file */
		bool fill;		/* until there is no space left */
		uint64_t ios;		/* 0: no limit */
	} amount;
	struct {
		uint64_t bytes[DIR_DATA_COUNT];
		struct block_split splits[DIR_DATA_COUNT];
		struct size_range ranges[DIR_DATA_COUNT];	/* with max 0: none, bytes counts */
		uint64_t align[DIR_DATA_COUNT];	/* of random offsets; 0: to the smallest block */
		bool unaligned;			/* any size of a range, not multiples of its min */
		bool by_order;			/* reads' sizes: sequential; writes': random */
	} block;
	struct {			/* I/Os */
		uint32_t iodepth, low, batch_submit, batch_complete_min, batch_complete_max;
		bool serialize_overlap;
		enum submit_mode { SUBMIT_INLINE, SUBMIT_OFFLOAD } submit_mode;
	} depth;
	struct {
		uint64_t bytes[DIR_DATA_COUNT], iops[DIR_DATA_COUNT];	/* a second */
		/* less in a cycle of so many ms ends the job */
		uint64_t min_bytes[DIR_DATA_COUNT], min_iops[DIR_DATA_COUNT];
		uint32_t cycle_ms;
		bool ignore_thinktime;	/* what a pause left behind is not caught up */
		enum rate_process process;
	} rate;
	struct {
		uint32_t continue_on;	/* a bit each of enum error_kind */
		struct error_list ignore[ERROR_KINDS];	/* one that is not empty decides alone */
	} errors;
	struct {
		uint64_t max_ns[DIR_DATA_COUNT];	/* a longer I/O ends the job */
		uint64_t target_ns, window_ns;	/* worker/latency_target.h */
		double percentile;
		bool run;
	} latency;
	struct {			/* run/steady.h */
		struct steady_criterion criterion;
		uint64_t duration_ns, ramp_ns, interval_ns;
	} steady;
	struct {
		uint64_t pause_ns, spin_ns, iotime_ns;
		uint64_t cycles;	/* of work in front of each pause */
		uint32_t blocks;
		enum think_count { THINK_COMPLETE, THINK_ISSUE } blocks_type;
	} think;
	struct {
		bool invalidate, zero, refill;
		bool unscrambled;	/* what is written again is the same */
		struct byte_pattern pattern;
		uint32_t compress_percent, compress_chunk;
	} buffers;
	struct {
		uint32_t percent;	/* of writes that repeat another one */
		enum dedupe_mode { DEDUPE_REPEAT, DEDUPE_WORKING_SET } mode;
		uint32_t set_percent;	/* of size, whose blocks are the working set */
		bool global;
		/* Of a working set (jobfile/dedupe_sets.h): its blocks, how many clones share it,
		 * and which of them the job's first clone is. */
		uint64_t set_blocks;
		uint32_t sharers, first_sharer;
	} dedupe;
	struct {			/* of I/O buffers (worker/buffers.h) */
		enum memory_kind { MEMORY_MALLOC, MEMORY_SHM, MEMORY_SHM_HUGE, MEMORY_MMAP,
			MEMORY_MMAP_HUGE, MEMORY_MMAP_SHARED } kind;
		const char *file;	/* what is mapped; NULL: nothing that has a name */
		uint64_t align;		/* of the first buffer; 0: to a page */
		uint64_t huge_page_bytes, locked_bytes;
	} memory;
	struct {
		uint32_t numjobs;
		bool thread, stonewall, new_group, exitall, exitall_on_error;
		bool ends_with_others;	/* when no job beside it moves data any more */
		enum exit_what exit_what;
		uint32_t start_clock;	/* of job_start, for clock_gettime() */
		const char *run_before, *run_after;	/* by the shell; NULL: nothing */
		const char *wait_for;	/* name of a job before this one; NULL: none */
		uint32_t flow, flow_id;	/* weight; 0: no share */
		uint32_t flow_sleep_us;
		uint32_t waits_for;	/* its number in the list, from 1 on; 0: none */
	} process;
	struct {			/* worker/placement.h */
		struct cpu_list cpus;
		enum cpus_policy { CPUS_SHARED, CPUS_SPLIT } policy;
		struct cpu_list reserved;	/* left free of the job */
		struct node_list nodes;
		struct memory_policy memory;
		int32_t nice;
		uint32_t priority, class, hint;	/* of I/O; class 0: as the engine's own */
		struct id_value { uint32_t number; bool given; } uid, gid;
		const char *comm;	/* NULL: the engine's own */
		const char *cgroup;	/* path below the root of groups; NULL: none */
		uint32_t cgroup_weight;	/* 0: as it is */
		bool cgroup_stays;
	} place;
	struct {
		enum verify_method method;
		bool at_end;		/* read what was written when all is written */
		enum verify_policy { POLICY_COMPLETED, POLICY_FSYNCED } policy;
		bool fatal;
		bool only;		/* write nothing: look at what an earlier run wrote */
		bool header_seed, write_sequence;	/* have to be right */
		bool dump;		/* damaged blocks, to files */
		bool state_save, state_load;	/* worker/verify_state.h */
		const char *state_folder;	/* NULL: the working directory */
		uint32_t async;		/* threads that look; 0: the job does */
		struct cpu_list async_cpus;
		struct byte_pattern pattern;
		uint32_t pattern_interval;	/* it begins again each so many bytes; 0: blocks */
		uint64_t backlog, backlog_batch;	/* writes until some of them are read */
		uint32_t trim_percent;	/* of what was written (worker/loop_trims.h) */
		uint64_t trim_backlog, trim_batch;	/* writes until some of those are */
		bool trim_zero;		/* they are then read, and have to be zeros */
		uint32_t offset_bytes;	/* of the header in its unit */
		uint32_t interval_bytes;	/* from header to header; 0: one for each block */
	} verify;
	struct {
		const char *record;	/* where to; NULL: nowhere */
		/* what to replay, ':' separated, for the clones in turn; NULL: nothing */
		const char *files;
		const char *redirect;
		uint32_t skip;		/* a bit each of enum io_dir */
		bool no_stall;
		uint32_t time_scale, scale, align;
		const struct trace *trace;	/* what files names, in the job of a clone */
	} replay;
	struct {
		/* How the names of log files begin, "" for the job's name; NULL: none. */
		const char *bw, *iops, *lat, *hist;
		uint32_t avg_ms;	/* 0: every I/O is a row */
		uint32_t hist_ms, hist_coarseness;
		bool per_job, offset, unix_epoch, prio, issue_time, packed;
		uint64_t packed_bytes;	/* rows that are compressed together; 0: many */
		uint32_t epoch_clock;	/* of the times with unix_epoch, for clock_gettime() */
		enum log_window window;
	} log;
	struct {			/* of options that only fio's insides have a use for */
		uint64_t number;
		uint32_t choice;
		const char *text;
		bool flag;
	} nothing;
	struct {
		bool slat_percentiles, clat_percentiles, lat_percentiles, disk_util;
		bool gtod_reduce, disable_lat, disable_clat, disable_slat, disable_bw;
		bool group_reporting, stats;
		enum unified { UNIFIED_NONE, UNIFIED_MIXED, UNIFIED_BOTH } unified;
		uint32_t kb_base;	/* of values without i; also which unit comes first */
		uint32_t unit_base;	/* of rates: 1 is bits, else bytes */
		uint32_t figures;
		uint32_t bw_avg_ms, iops_avg_ms;	/* of samples; 0: as by default */
		enum clock_choice clocksource;
		struct percentile_list percentiles;
	} report;

	uint32_t group_id;		/* stonewall and new_group start one, as fio's groupid */
	uint32_t wave;			/* stonewall starts one: jobs of one wave run at once */
	const struct setting *settings;	/* this job's own, without job_list.globals */
	size_t settings_count;
};

/* Whether a job does I/O of a direction; what of the file or device, a trim or a write, is then
 * other than it was; and both of these: a part of the blocks is trimmed after it was written, or
 * each block before. */
static inline bool job_does(const struct job *job, unsigned dir)
{
	return job->rw & ((uint32_t)RW_READ << dir);
}

static inline bool job_changes(const struct job *job)
{
	return job->files.changed || job->rw & (RW_WRITE | RW_TRIM);
}

/* Of what it has written and will look at again. */
static inline bool job_trims_after_writes(const struct job *job)
{
	return (job->rw & RW_WRITE) && job->verify.method && job->verify.trim_percent &&
	       job->verify.trim_backlog && job->verify.at_end && !job->verify.only;
}

static inline bool job_trims_before_writes(const struct job *job)
{
	return (job->rw & RW_WRITE) && (job->rw & RW_TRIM);
}

/* Reads and writes in turn: a mix of 0 or 100 % holds, whatever the rates are. */
static inline bool job_mixes(const struct job *job)
{
	return job_does(job, 0) && job_does(job, 1) && job->rwmixread_percent &&
	       job->rwmixread_percent < 100;
}

/* Of the job's I/O, as ioprio_set(2) has it; 0: what the kernel makes of nice. */
static inline uint16_t job_priority(const struct job *job)
{
	enum { CLASS_SHIFT = 13, HINT_SHIFT = 3 };

	return job->place.class ? (uint16_t)(job->place.class << CLASS_SHIFT |
					     job->place.hint << HINT_SHIFT | job->place.priority)
				: 0;
}

/* The first direction of a job from `dir` on; DIR_DATA_COUNT: none is left. */
static inline unsigned job_next_dir(const struct job *job, unsigned dir)
{
	while (dir < DIR_DATA_COUNT && !job_does(job, dir))
		dir++;
	return dir;
}

/*
 * Every direction of a job, in the order of enum io_dir.
 * NOLINTBEGIN(bugprone-macro-parentheses): dir is a name that is declared here
 */
#define JOB_DIRS(dir, job)					\
	for (unsigned dir = job_next_dir(job, 0); dir < DIR_DATA_COUNT; \
	     dir = job_next_dir(job, dir + 1))
/* NOLINTEND(bugprone-macro-parentheses) */

/* The direction that stands for the others where one number is wanted. */
static inline uint8_t job_main_dir(const struct job *job)
{
	const unsigned dir = job_next_dir(job, 0);

	return dir < DIR_DATA_COUNT ? (uint8_t)dir : DIR_WRITE;
}

/* How many run of a job; one, of a job that no parser has filled. */
static inline uint32_t job_clones(const struct job *job)
{
	return job->process.numjobs ? job->process.numjobs : 1;
}

struct job_list {
	struct job *jobs;
	size_t count;
	const struct setting *globals;	/* of the global sections before the first job */
	size_t globals_count;
	const char *const *warnings;	/* for main.c to print: what was set but does nothing */
	size_t warnings_count;
	const char *fatal_warning;	/* the first that --warnings-fatal refuses; NULL */
	void *memory;			/* the arena that holds it all */
};

#endif
