/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

enum { FILES_MAX = 1 << 20 };

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

static const struct option_choice kind_choices[] = {
	{ "none", FILE_ANY, "any of these" },
	{ "file", FILE_REGULAR, "a file" },
	{ "block", FILE_BLOCK, "a block device" },
	{ "char", FILE_CHARACTER, "a character device" },
	{ NULL, 0, NULL },
};

static const struct option_choice locking_choices[] = {
	{ "none", LOCKING_NONE, "not" },
	{ "exclusive", LOCKING_EXCLUSIVE, "one job at a time" },
	{ "readwrite", LOCKING_READWRITE, "one that writes, or several that read" },
	{ NULL, 0, NULL },
};

static const struct option rows[] = {
	{ "allow_file_create", NULL, &type_bool_not, JOB(files.no_create), "1",
	  .help = "Whether files may be made and extended; with 0 they have to be there." },
	{ "allow_mounted_write", NULL, &type_bool, JOB(nothing.flag), "0",
	  .help = "Taken, and does nothing: what is mounted is never written to." },
	{ "create_fsync", NULL, &type_bool_not, JOB(files.no_create_fsync), "1",
	  .help = "Write a file back to its device when it has been laid out." },
	{ "create_on_open", NULL, &type_bool, JOB(files.create_on_open), "0",
	  .help = "Lay nothing out: a file is made, empty, when the job opens it." },
	{ "create_only", NULL, &type_bool, JOB(files.create_only), "0",
	  .help = "Lay the files out and do no I/O." },
	{ "create_serialize", NULL, &type_bool, JOB(nothing.flag), "1",
	  .help = "Taken, and does nothing: files are always laid out one after the other." },
	{ "directory", NULL, &type_text, JOB(files.directory),
	  .help = "Where the job's files are; several, separated by `:`, are shared out "
		  "among the clones." },
	{ "fallocate", NULL, &type_choice, JOB(files.fallocate), "native",
	  .choices = fallocate_choices,
	  .help = "How space is kept for files that are only written." },
	{ "file_service_type", NULL, &type_service, JOB(files.service), "roundrobin",
	  .help = "Which file comes next: one after the other, each until it is done, or any, also "
		  "with some preferred; `:count` is I/Os before another is chosen." },
	{ "filename", NULL, &type_text, JOB(files.names),
	  .help = "File or device to use, several separated by `:` (`\\:` is a colon in a "
		  "name); without it, a name is made from job, clone and file number." },
	{ "filename_format", NULL, &type_text, JOB(files.format), "$jobname.$jobnum.$filenum",
	  .help = "How names are made where there is no filename: with `$jobname`, `$jobnum` (of "
		  "the clone), `$filenum`, and `$clientuid`, which is empty; directories in it "
		  "are made." },
	{ "filesize", NULL, &type_size_range, JOB(files.size),
	  .help = "Bytes of each file, or a range to choose from for each; size is then how much "
		  "is transferred at most." },
	{ "filetype", NULL, &type_choice, JOB(files.kind), "none", .choices = kind_choices,
	  .help = "What all files of the job have to be; what is another is refused." },
	{ "fsync_on_close", NULL, &type_bool, JOB(files.fsync_on_close), "0",
	  .help = "fsync each file that was written before it is closed." },
	{ "ioscheduler", NULL, &type_text, JOB(files.scheduler),
	  .help = "I/O scheduler that the devices have to have; it is never switched, and a job "
		  "whose device has another is refused." },
	{ "lockfile", NULL, &type_choice, JOB(files.locking), "none", .choices = locking_choices,
	  .help = "Jobs of this run that have a file of the same name do I/O to it in turn; what "
		  "one waits for the others is in no latency." },
	{ "nrfiles", "nr_files", &type_number, JOB(files.count), "1", 1, FILES_MAX,
	  .help = "Files of each clone; size is split evenly among them." },
	{ "opendir", NULL, &type_text, JOB(files.below),
	  .help = "A directory: all files below it that hold a block, with those of filename, and "
		  "in place of made ones. No link is followed, and none of them is deleted." },
	{ "openfiles", NULL, &type_number, JOB(files.open), "0",
	  .help = "Files that are open at a time, each until it is done; 0 is all of them." },
	{ "overwrite", NULL, &type_bool, JOB(files.overwrite), "0",
	  .help = "Fill files that are only written beforehand, so that no write is the first to "
		  "its block." },
	{ "pre_read", NULL, &type_bool, JOB(files.pre_read), "0",
	  .help = "Read the files into the page cache before the job begins; invalidate then "
		  "does nothing." },
	{ "unique_filename", NULL, &type_bool, JOB(nothing.flag), "1",
	  .help = "Taken, and does nothing: only clients of a server have names to keep apart." },
	{ "unlink", NULL, &type_bool, JOB(files.unlink), "0",
	  .help = "Delete the job's files when all jobs have ended; never a device." },
	{ "unlink_each_loop", NULL, &type_bool, JOB(files.unlink_each_loop), "0",
	  .help = "Delete the job's files before each of its loops but the first, which makes them "
		  "anew; never a device." },
	{ .name = NULL },
};

const struct option_category options_files = { "Files and devices", rows };
