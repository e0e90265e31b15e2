/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#define JOB(field) OPTION_FIELD(struct job, field)

enum { BLOCK_MAX = 1 << 30, DEPTH_MAX = 1 << 16, CLONES_MAX = 4096, FILES_MAX = 1 << 20 };
#define SECOND UINT64_C(1000000000)

const char *const option_category_names[CATEGORIES] = {
	[CATEGORY_JOB] = "Job description",
	[CATEGORY_TIME] = "Time",
	[CATEGORY_TARGET] = "Files and devices",
	[CATEGORY_IO] = "Kind of I/O",
	[CATEGORY_BLOCK] = "Block size",
	[CATEGORY_SIZE] = "Amount of I/O",
	[CATEGORY_ENGINE] = "I/O engine",
	[CATEGORY_DEPTH] = "I/O depth",
	[CATEGORY_RATE] = "Pace",
	[CATEGORY_BUFFER] = "Buffers and memory",
	[CATEGORY_PROCESS] = "Processes and order",
	[CATEGORY_REPORT] = "Report",
};

static const struct option_choice rw_choices[] = {
	{ "read", RW_READ, "sequential reads" },
	{ "write", RW_WRITE, "sequential writes" },
	{ "randread", RW_READ | RW_RANDOM, "random reads" },
	{ "randwrite", RW_WRITE | RW_RANDOM, "random writes" },
	{ "rw", RW_READ | RW_WRITE, "sequential reads and writes, mixed" },
	{ "readwrite", RW_READ | RW_WRITE, "the same as rw" },
	{ "randrw", RW_READ | RW_WRITE | RW_RANDOM, "random reads and writes, mixed" },
	{ NULL, 0, NULL },
};

static const struct option_choice zonemode_choices[] = {
	{ "none", ZONE_NONE, "no zones" },
	{ "strided", ZONE_STRIDED, "zonesize bytes of I/O, then on to the next zone" },
	{ NULL, 0, NULL },
};

const struct option options_all[] = {
	{ "bs", "blocksize", OPTION_SIZES, CATEGORY_BLOCK, JOB(bs_bytes), "4k", 1, BLOCK_MAX,
	  .help = "Bytes of one I/O; `r,w,t` sets reads, writes and trims apart, and what "
		  "is left out follows the one before it." },
	{ "buffered", NULL, OPTION_BOOL_NOT, CATEGORY_IO, JOB(direct), "1",
	  .help = "Go through the page cache; the opposite of direct." },
	{ "description", NULL, OPTION_STRING, CATEGORY_JOB, JOB(description),
	  .help = "Free text about the job, repeated in the results." },
	{ "direct", NULL, OPTION_BOOL, CATEGORY_IO, JOB(direct), "0",
	  .help = "Pass by the page cache (O_DIRECT)." },
	{ "directory", NULL, OPTION_STRING, CATEGORY_TARGET, JOB(directory),
	  .help = "Where the job's files are; several, separated by `:`, are shared out "
		  "among the clones." },
	{ "end_fsync", NULL, OPTION_BOOL, CATEGORY_IO, JOB(end_fsync), "0",
	  .help = "fsync each file when its writes are done, as a part of the runtime." },
	{ "fdatasync", NULL, OPTION_NUMBER, CATEGORY_IO, JOB(fdatasync), "0",
	  .help = "fdatasync after every so many writes; 0 is never." },
	{ "filename", NULL, OPTION_STRING, CATEGORY_TARGET, JOB(filename),
	  .help = "File or device to use, several separated by `:` (`\\:` is a colon in a "
		  "name); without it, a name is made from job, clone and file number." },
	{ "fsync", NULL, OPTION_NUMBER, CATEGORY_IO, JOB(fsync), "0",
	  .help = "fsync after every so many writes; 0 is never." },
	{ "group_reporting", NULL, OPTION_FLAG, CATEGORY_REPORT, JOB(group_reporting), "0",
	  .help = "Report the clones of a job and its group in one row." },
	{ "invalidate", NULL, OPTION_BOOL, CATEGORY_BUFFER, JOB(invalidate), "1",
	  .help = "Drop the target's cached pages before the job starts." },
	{ "io_size", "io_limit", OPTION_SIZE_VALUE, CATEGORY_SIZE, JOB(io_size),
	  .help = "Bytes to transfer in all, when that is not size: less, or more by "
		  "going round." },
	{ "iodepth", NULL, OPTION_NUMBER, CATEGORY_DEPTH, JOB(iodepth), "1", 1, DEPTH_MAX,
	  .help = "I/Os kept in flight; only asynchronous engines go past 1." },
	{ "ioengine", NULL, OPTION_ENGINE, CATEGORY_ENGINE,
	  offsetof(struct job, ops), sizeof(void *), "psync",
	  .help = "How I/O is issued; --enghelp lists the engines." },
	{ "loops", NULL, OPTION_NUMBER, CATEGORY_TIME, JOB(loops), "1", 1,
	  .help = "Run the job so many times over." },
	{ "name", NULL, OPTION_STRING, CATEGORY_JOB, JOB(name),
	  .help = "Name of the job; on the command line it starts a new one." },
	{ "norandommap", NULL, OPTION_FLAG, CATEGORY_IO, JOB(norandommap), "0",
	  .help = "Do not remember which blocks random I/O has touched: some are hit twice, "
		  "others never." },
	{ "nrfiles", "nr_files", OPTION_NUMBER, CATEGORY_TARGET, JOB(nrfiles), "1", 1, FILES_MAX,
	  .help = "Files of each clone; size is split evenly among them." },
	{ "number_ios", NULL, OPTION_NUMBER, CATEGORY_SIZE, JOB(number_ios), "0",
	  .help = "Stop after so many I/Os; 0 is no limit." },
	{ "numjobs", NULL, OPTION_NUMBER, CATEGORY_PROCESS, JOB(numjobs), "1", 1, CLONES_MAX,
	  .help = "Clones of the job that run at once." },
	{ "offset", "fileoffset", OPTION_SIZE_VALUE, CATEGORY_SIZE, JOB(offset), "0",
	  .help = "Where in the file or device the job begins." },
	{ "ramp_time", NULL, OPTION_TIME, CATEGORY_TIME, JOB(ramp_time_ns), "0", .unit_ns = SECOND,
	  .help = "Run so long before measuring." },
	{ "randrepeat", "allrandrepeat", OPTION_BOOL, CATEGORY_IO, JOB(randrepeat), "1",
	  .help = "Random offsets are the same in every run." },
	{ "randseed", NULL, OPTION_NUMBER, CATEGORY_IO, JOB(randseed), "0x89",
	  .help = "Seed of the random offsets while randrepeat is on." },
	{ "runtime", "timeout", OPTION_TIME, CATEGORY_TIME, JOB(runtime_ns), "0", .unit_ns = SECOND,
	  .help = "Stop after this time; 0 is when all is transferred." },
	{ "rw", "readwrite", OPTION_ENUM, CATEGORY_IO, JOB(rw), "read", .choices = rw_choices,
	  .help = "Direction of I/O, and whether offsets are sequential or random." },
	{ "rwmixread", NULL, OPTION_PERCENT, CATEGORY_IO, JOB(rwmixread_percent), "50",
	  .help = "Reads among mixed I/O, in percent." },
	{ "rwmixwrite", NULL, OPTION_PERCENT_REST, CATEGORY_IO, JOB(rwmixread_percent), "50",
	  .help = "Writes among mixed I/O, in percent; of this and rwmixread, the last one "
		  "given counts." },
	{ "size", NULL, OPTION_SIZE_VALUE, CATEGORY_SIZE, JOB(size),
	  .help = "Bytes of the file region a job works on, over all its files; in % it is a "
		  "part of the file or device." },
	{ "startdelay", NULL, OPTION_TIME, CATEGORY_TIME, JOB(startdelay_ns), "0",
	  .unit_ns = SECOND,
	  .help = "Wait so long before the job starts." },
	{ "stonewall", "wait_for_previous", OPTION_FLAG, CATEGORY_PROCESS, JOB(stonewall), "0",
	  .help = "Start when all jobs before this one have ended; it begins a new group." },
	{ "thinktime", NULL, OPTION_TIME, CATEGORY_RATE, JOB(thinktime_ns), "0", .unit_ns = 1000,
	  .help = "Pause after each I/O; a number without unit is in microseconds." },
	{ "thread", NULL, OPTION_FLAG, CATEGORY_PROCESS, JOB(thread), "0",
	  .help = "Run clones as threads instead of processes." },
	{ "time_based", NULL, OPTION_FLAG, CATEGORY_TIME, JOB(time_based), "0",
	  .help = "Go round until runtime is over, though all is transferred before." },
	{ "zonemode", NULL, OPTION_ENUM, CATEGORY_TARGET, JOB(zonemode), "none",
	  .choices = zonemode_choices,
	  .help = "How zonesize, zoneskip and zonerange are meant." },
	{ "zonerange", NULL, OPTION_SIZE, CATEGORY_TARGET, JOB(zonerange_bytes), "0",
	  .help = "Bytes that a zone spans; 0 is zonesize." },
	{ "zonesize", NULL, OPTION_SIZE, CATEGORY_TARGET, JOB(zonesize_bytes), "0",
	  .help = "Bytes of I/O in a zone before going on to the next." },
	{ "zoneskip", NULL, OPTION_SIZE, CATEGORY_TARGET, JOB(zoneskip_bytes), "0",
	  .help = "Bytes to leave out between two zones." },
	{ .name = NULL },
};
