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

static const struct option rows[] = {
	{ "directory", NULL, &type_text, JOB(files.directory),
	  .help = "Where the job's files are; several, separated by `:`, are shared out "
		  "among the clones." },
	{ "fallocate", NULL, &type_choice, JOB(files.fallocate), "native",
	  .choices = fallocate_choices,
	  .help = "How space is kept for files that are only written." },
	{ "filename", NULL, &type_text, JOB(files.names),
	  .help = "File or device to use, several separated by `:` (`\\:` is a colon in a "
		  "name); without it, a name is made from job, clone and file number." },
	{ "filesize", NULL, &type_size_range, JOB(files.size),
	  .help = "Bytes of each file, or a range to choose from for each; size is then how much "
		  "is transferred at most." },
	{ "nrfiles", "nr_files", &type_number, JOB(files.count), "1", 1, FILES_MAX,
	  .help = "Files of each clone; size is split evenly among them." },
	{ "overwrite", NULL, &type_bool, JOB(files.overwrite), "0",
	  .help = "Fill files that are only written beforehand, so that no write is the first to "
		  "its block." },
	{ "unlink", NULL, &type_bool, JOB(files.unlink), "0",
	  .help = "Delete the job's files when all jobs have ended; never a device." },
	{ .name = NULL },
};

const struct option_category options_files = { "Files and devices", rows };
