/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options.h"

#include "job/job.h"

#define JOB(field) OPTION_FIELD(struct job, field)

enum { BLOCK_MAX = 1 << 30, DEPTH_MAX = 1 << 16, CLONES_MAX = 4096, FILES_MAX = 1 << 20,
	COARSENESS_MAX = 6 };
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
	[CATEGORY_REPLAY] = "Record and replay",
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

static const struct option_choice rate_process_choices[] = {
	{ "linear", RATE_LINEAR, "evenly" },
	{ "poisson", RATE_POISSON, "at random, as independent users would" },
	{ NULL, 0, NULL },
};

static const struct option_choice think_choices[] = {
	{ "complete", THINK_COMPLETE, "I/Os that are done" },
	{ "issue", THINK_ISSUE, "I/Os handed over" },
	{ NULL, 0, NULL },
};

static const struct option_choice fallocate_choices[] = {
	{ "native", ALLOCATE_NATIVE, "fallocate, where the filesystem can" },
	{ "none", ALLOCATE_NONE, "the file grows as it is written" },
	{ "0", ALLOCATE_NONE, "the same as none" },
	{ "posix", ALLOCATE_POSIX, "posix_fallocate, which writes where there is no fallocate" },
	{ "1", ALLOCATE_POSIX, "the same as posix" },
	{ "keep", ALLOCATE_KEEP, "fallocate, and the size grows as the file is written" },
	{ "truncate", ALLOCATE_TRUNCATE, "the size is set, and no space is kept" },
	{ NULL, 0, NULL },
};

static const struct option_choice sync_choices[] = {
	{ "none", SYNC_NONE, "no" },
	{ "0", SYNC_NONE, "the same as none" },
	{ "sync", SYNC_FULL, "O_SYNC: data and all metadata" },
	{ "1", SYNC_FULL, "the same as sync" },
	{ "dsync", SYNC_DATA, "O_DSYNC: data and what is needed to read it" },
	{ NULL, 0, NULL },
};

static const struct option_choice verify_choices[] = {
	{ "0", VERIFY_NONE, "nothing" },
	{ "crc32c", VERIFY_CRC32C, "a header with place, run and CRC-32C in each block" },
	{ "crc32c-intel", VERIFY_CRC32C, "the same" },
	{ NULL, 0, NULL },
};

static const struct option_choice clocksource_choices[] = {
	{ "gettimeofday", CLOCK_GETTIME, "the same as clock_gettime" },
	{ "clock_gettime", CLOCK_GETTIME, "CLOCK_MONOTONIC of the kernel" },
	{ "cpu", CLOCK_CPU, "the time stamp counter, calibrated" },
	{ NULL, 0, NULL },
};

const struct option options_all[] = {
	{ "bs", "blocksize", OPTION_SIZES, CATEGORY_BLOCK, JOB(bs_bytes), "4k", 1, BLOCK_MAX,
	  .help = "Bytes of one I/O; `r,w,t` sets reads, writes and trims apart, and what "
		  "is left out follows the one before it." },
	{ "bssplit", NULL, OPTION_SPLITS, CATEGORY_BLOCK, JOB(bssplit),
	  .help = "Several block sizes and the percentage of I/Os of each, `4k/60:64k/40`; a "
		  "missing percentage is a share of what is left." },
	{ "buffered", NULL, OPTION_BOOL_NOT, CATEGORY_IO, JOB(direct), "1",
	  .help = "Go through the page cache; the opposite of direct." },
	{ "clat_percentiles", NULL, OPTION_BOOL, CATEGORY_REPORT, JOB(clat_percentiles), "1",
	  .help = "Report percentiles of completion latency." },
	{ "clocksource", NULL, OPTION_ENUM, CATEGORY_REPORT, JOB(clocksource),
	  .choices = clocksource_choices,
	  .help = "Clock of all jobs; without it cpu where that can be trusted." },
	{ "cpus_allowed", NULL, OPTION_CPUS, CATEGORY_PROCESS, JOB(cpus_allowed),
	  .help = "CPUs that the job's clones share; without it, all of them." },
	{ "description", NULL, OPTION_STRING, CATEGORY_JOB, JOB(description),
	  .help = "Free text about the job, repeated in the results." },
	{ "direct", NULL, OPTION_BOOL, CATEGORY_IO, JOB(direct), "0",
	  .help = "Pass by the page cache (O_DIRECT)." },
	{ "directory", NULL, OPTION_STRING, CATEGORY_TARGET, JOB(directory),
	  .help = "Where the job's files are; several, separated by `:`, are shared out "
		  "among the clones." },
	{ "disable_bw_measurement", "disable_bw", OPTION_FLAG, CATEGORY_REPORT, JOB(disable_bw),
	  "0", .help = "Leave samples of bandwidth and IOPS out of the results." },
	{ "disable_clat", NULL, OPTION_FLAG, CATEGORY_REPORT, JOB(disable_clat), "0",
	  .help = "Leave completion latencies out of the results." },
	{ "disable_lat", NULL, OPTION_FLAG, CATEGORY_REPORT, JOB(disable_lat), "0",
	  .help = "Leave total latencies out of the results." },
	{ "disable_slat", NULL, OPTION_FLAG, CATEGORY_REPORT, JOB(disable_slat), "0",
	  .help = "Leave submission latencies out of the results." },
	{ "disk_util", NULL, OPTION_BOOL, CATEGORY_REPORT, JOB(disk_util), "1",
	  .help = "Report what the disks under the job's files did meanwhile." },
	{ "do_verify", NULL, OPTION_BOOL, CATEGORY_IO, JOB(do_verify), "1",
	  .help = "With verify, read what was written when all is written, and check it." },
	{ "end_fsync", NULL, OPTION_BOOL, CATEGORY_IO, JOB(end_fsync), "0",
	  .help = "fsync each file when its writes are done, as a part of the runtime." },
	{ "exitall", NULL, OPTION_FLAG, CATEGORY_PROCESS, JOB(exitall), "0",
	  .help = "When a clone of this job ends, end the other jobs of its group, too." },
	{ "fallocate", NULL, OPTION_ENUM, CATEGORY_TARGET, JOB(fallocate), "native",
	  .choices = fallocate_choices,
	  .help = "How space is kept for files that are only written." },
	{ "fdatasync", NULL, OPTION_NUMBER, CATEGORY_IO, JOB(fdatasync), "0",
	  .help = "fdatasync after every so many writes; 0 is never." },
	{ "filename", NULL, OPTION_STRING, CATEGORY_TARGET, JOB(filename),
	  .help = "File or device to use, several separated by `:` (`\\:` is a colon in a "
		  "name); without it, a name is made from job, clone and file number." },
	{ "filesize", NULL, OPTION_SIZE_RANGE, CATEGORY_TARGET, JOB(filesize),
	  .help = "Bytes of each file, or a range to choose from for each; size is then how much "
		  "is transferred at most." },
	{ "fsync", NULL, OPTION_NUMBER, CATEGORY_IO, JOB(fsync), "0",
	  .help = "fsync after every so many writes; 0 is never." },
	{ "group_reporting", NULL, OPTION_FLAG, CATEGORY_REPORT, JOB(group_reporting), "0",
	  .help = "Report the clones of a job and its group in one row." },
	{ "gtod_reduce", NULL, OPTION_FLAG, CATEGORY_REPORT, JOB(gtod_reduce), "0",
	  .help = "Measure no latencies and take no samples: the clock is hardly read." },
	{ "invalidate", NULL, OPTION_BOOL, CATEGORY_BUFFER, JOB(invalidate), "1",
	  .help = "Drop the target's cached pages before the job starts." },
	{ "io_size", "io_limit", OPTION_SIZE_VALUE, CATEGORY_SIZE, JOB(io_size),
	  .help = "Bytes to transfer in all, when that is not size: less, or more by "
		  "going round." },
	{ "iodepth", NULL, OPTION_NUMBER, CATEGORY_DEPTH, JOB(iodepth), "1", 1, DEPTH_MAX,
	  .help = "I/Os kept in flight; only asynchronous engines go past 1." },
	{ "iodepth_batch", "iodepth_batch_submit", OPTION_NUMBER, CATEGORY_DEPTH,
	  JOB(batch_submit), NULL, 1, DEPTH_MAX,
	  .help = "I/Os handed over in one call; without it 1, and iodepth where that costs "
		  "nothing (ioengine=null)." },
	{ "iodepth_batch_complete_max", NULL, OPTION_NUMBER, CATEGORY_DEPTH,
	  JOB(batch_complete_max), "0", 0, DEPTH_MAX,
	  .help = "Most I/Os taken back at a time; 0 is all that are done." },
	{ "iodepth_batch_complete_min", "iodepth_batch_complete", OPTION_NUMBER, CATEGORY_DEPTH,
	  JOB(batch_complete_min), "1", 0, DEPTH_MAX,
	  .help = "I/Os to wait for at a time when iodepth are in flight; 0 also looks for done "
		  "ones before each I/O." },
	{ "iodepth_low", NULL, OPTION_NUMBER, CATEGORY_DEPTH, JOB(iodepth_low), "0", 0, DEPTH_MAX,
	  .help = "Once iodepth are in flight, let them fall to this before there are more; 0 is "
		  "one for one." },
	{ "ioengine", NULL, OPTION_ENGINE, CATEGORY_ENGINE,
	  offsetof(struct job, ops), sizeof(void *), "psync",
	  .help = "How I/O is issued; --enghelp lists the engines." },
	{ "lat_percentiles", NULL, OPTION_BOOL, CATEGORY_REPORT, JOB(lat_percentiles), "0",
	  .help = "Report percentiles of total latency, which is slat + clat." },
	{ "log_avg_msec", NULL, OPTION_NUMBER, CATEGORY_REPORT, JOB(log_avg_ms), "0",
	  .help = "A row of the bandwidth, IOPS and latency logs is the average over so many "
		  "ms; 0 is a row for every I/O." },
	{ "log_hist_coarseness", NULL, OPTION_NUMBER, CATEGORY_REPORT, JOB(log_hist_coarseness),
	  "0", 0, COARSENESS_MAX,
	  .help = "Add up 2^n neighbouring buckets in the histogram log." },
	{ "log_hist_msec", NULL, OPTION_NUMBER, CATEGORY_REPORT, JOB(log_hist_ms), "0",
	  .help = "A row of the histogram log is what completed in so many ms." },
	{ "log_offset", NULL, OPTION_BOOL, CATEGORY_REPORT, JOB(log_offset), "0",
	  .help = "Log the offset of each I/O, too." },
	{ "log_unix_epoch", "log_alternate_epoch", OPTION_BOOL, CATEGORY_REPORT,
	  JOB(log_unix_epoch), "0",
	  .help = "Times in logs are Unix times in ms, not ms since the job's start." },
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
	{ "overwrite", NULL, OPTION_BOOL, CATEGORY_TARGET, JOB(overwrite), "0",
	  .help = "Fill files that are only written beforehand, so that no write is the first to "
		  "its block." },
	{ "per_job_logs", NULL, OPTION_BOOL, CATEGORY_REPORT, JOB(per_job_logs), "1",
	  .help = "Each clone of each job has log files of its own; without it, jobs of the "
		  "same log name share them." },
	{ "percentile_list", NULL, OPTION_PERCENTILES, CATEGORY_REPORT, JOB(percentiles),
	  "1:5:10:20:30:40:50:60:70:80:90:95:99:99.5:99.9:99.95:99.99",
	  .help = "Which percentiles to report; at most 20." },
	{ "ramp_time", NULL, OPTION_TIME, CATEGORY_TIME, JOB(ramp_time_ns), "0", .unit_ns = SECOND,
	  .help = "Run so long before measuring." },
	{ "random_distribution", NULL, OPTION_DISTRIBUTION, CATEGORY_IO, JOB(distribution),
	  "random",
	  .help = "Which blocks random I/O prefers: none, or few of them by Zipf's law; then "
		  "there is no map of those touched." },
	{ "randrepeat", "allrandrepeat", OPTION_BOOL, CATEGORY_IO, JOB(randrepeat), "1",
	  .help = "Random offsets are the same in every run." },
	{ "randseed", NULL, OPTION_NUMBER, CATEGORY_IO, JOB(randseed), "0x89",
	  .help = "Seed of the random offsets while randrepeat is on." },
	{ "rate", NULL, OPTION_SIZES, CATEGORY_RATE, JOB(rate_bytes), "0",
	  .help = "Bytes a second that are due, `r,w,t`; what a slow device leaves behind is "
		  "caught up, and counts in intended_lat_ns." },
	{ "rate_iops", NULL, OPTION_SIZES, CATEGORY_RATE, JOB(rate_iops), "0",
	  .help = "I/Os a second that are due, `r,w,t`; it goes before rate." },
	{ "rate_process", NULL, OPTION_ENUM, CATEGORY_RATE, JOB(rate_process), "linear",
	  .choices = rate_process_choices,
	  .help = "How I/Os of a given rate are spread over time." },
	{ "read_iolog", NULL, OPTION_STRING, CATEGORY_REPLAY, JOB(read_iolog),
	  .help = "Replay an I/O log (version 2 or 3) with its times, files and offsets instead of "
		  "making I/O of one's own; several, separated by `:`, are shared out among the "
		  "clones." },
	{ "refill_buffers", NULL, OPTION_FLAG, CATEGORY_BUFFER, JOB(refill_buffers), "0",
	  .help = "New noise for each write; without it, one word a page is new." },
	{ "replay_align", NULL, OPTION_SIZE, CATEGORY_REPLAY, JOB(replay_align), "0",
	  .help = "Lower replayed offsets to multiples of so many bytes; 0 leaves them." },
	{ "replay_no_stall", NULL, OPTION_BOOL, CATEGORY_REPLAY, JOB(replay_no_stall), "0",
	  .help = "Replay as fast as possible, in order." },
	{ "replay_redirect", NULL, OPTION_STRING, CATEGORY_REPLAY, JOB(replay_redirect),
	  .help = "Replay everything on this file or device." },
	{ "replay_scale", NULL, OPTION_NUMBER, CATEGORY_REPLAY, JOB(replay_scale), "1", 1,
	  .help = "Divide replayed offsets by this." },
	{ "replay_skip", NULL, OPTION_STRING, CATEGORY_REPLAY, JOB(replay_skip),
	  .help = "Kinds of I/O to leave out, of `read,write,trim,sync`." },
	{ "replay_time_scale", NULL, OPTION_NUMBER, CATEGORY_REPLAY, JOB(replay_time_scale),
	  "100", 1,
	  .help = "Speed of the replay in percent of the original: 200 is twice as fast." },
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
	{ "slat_percentiles", NULL, OPTION_BOOL, CATEGORY_REPORT, JOB(slat_percentiles), "0",
	  .help = "Report percentiles of submission latency, which only asynchronous engines "
		  "have." },
	{ "startdelay", NULL, OPTION_TIME, CATEGORY_TIME, JOB(startdelay_ns), "0",
	  .unit_ns = SECOND,
	  .help = "Wait so long before the job starts." },
	{ "stonewall", "wait_for_previous", OPTION_FLAG, CATEGORY_PROCESS, JOB(stonewall), "0",
	  .help = "Start when all jobs before this one have ended; it begins a new group." },
	{ "sync", NULL, OPTION_ENUM, CATEGORY_IO, JOB(sync), "none", .choices = sync_choices,
	  .help = "A write is done when it is safe on the device." },
	{ "thinktime", NULL, OPTION_TIME, CATEGORY_RATE, JOB(thinktime_ns), "0", .unit_ns = 1000,
	  .help = "Pause after each I/O; a number without unit is in microseconds." },
	{ "thinktime_blocks", NULL, OPTION_NUMBER, CATEGORY_RATE, JOB(thinktime_blocks), "1", 1,
	  .help = "I/Os between two pauses." },
	{ "thinktime_blocks_type", NULL, OPTION_ENUM, CATEGORY_RATE, JOB(thinktime_blocks_type),
	  "complete", .choices = think_choices,
	  .help = "Both values count I/Os as they are issued; a pause begins when all of them "
		  "are done." },
	{ "thinktime_iotime", NULL, OPTION_TIME, CATEGORY_RATE, JOB(thinktime_iotime_ns), "0",
	  .unit_ns = SECOND,
	  .help = "Time of I/O between two pauses, in place of thinktime_blocks." },
	{ "thinktime_spin", NULL, OPTION_TIME, CATEGORY_RATE, JOB(thinktime_spin_ns), "0",
	  .unit_ns = 1000,
	  .help = "The first part of thinktime that is spent computing instead of asleep; a "
		  "number without unit is in microseconds." },
	{ "thread", NULL, OPTION_FLAG, CATEGORY_PROCESS, JOB(thread), "0",
	  .help = "Run clones as threads instead of processes." },
	{ "time_based", NULL, OPTION_FLAG, CATEGORY_TIME, JOB(time_based), "0",
	  .help = "Go round until runtime is over, though all is transferred before." },
	{ "unlink", NULL, OPTION_BOOL, CATEGORY_TARGET, JOB(unlink), "0",
	  .help = "Delete the job's files when all jobs have ended; never a device." },
	{ "verify", NULL, OPTION_ENUM, CATEGORY_IO, JOB(verify), "0", .choices = verify_choices,
	  .help = "Write blocks that can be checked, and check blocks that are read." },
	{ "verify_fatal", NULL, OPTION_BOOL, CATEGORY_IO, JOB(verify_fatal), "0",
	  .help = "End at the first block that is not as it was written." },
	{ "write_bw_log", NULL, OPTION_LOG_NAME, CATEGORY_REPORT, JOB(write_bw_log),
	  .help = "Log bandwidth, in KiB/s, to NAME_bw.N.log; N counts the clones of all jobs." },
	{ "write_hist_log", NULL, OPTION_LOG_NAME, CATEGORY_REPORT, JOB(write_hist_log),
	  .help = "Log histograms of completion latency to NAME_clat_hist.N.log; needs "
		  "log_hist_msec." },
	{ "write_iolog", NULL, OPTION_STRING, CATEGORY_REPLAY, JOB(write_iolog),
	  .help = "Record the I/O in this file (version 3), for read_iolog." },
	{ "write_iops_log", NULL, OPTION_LOG_NAME, CATEGORY_REPORT, JOB(write_iops_log),
	  .help = "Log IOPS to NAME_iops.N.log." },
	{ "write_lat_log", NULL, OPTION_LOG_NAME, CATEGORY_REPORT, JOB(write_lat_log),
	  .help = "Log submission, completion and total latency, in ns, to NAME_slat.N.log, "
		  "NAME_clat.N.log and NAME_lat.N.log." },
	{ "zero_buffers", NULL, OPTION_FLAG, CATEGORY_BUFFER, JOB(zero_buffers), "0",
	  .help = "Write zeros, not noise; files are filled with them beforehand, too." },
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
