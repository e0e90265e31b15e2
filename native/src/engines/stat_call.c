/* SPDX-License-Identifier: Apache-2.0 */
#include "engines/stat_call.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "engines/no_data.h"

static const struct option_choice calls[] = {
	{ "stat", STAT_FOLLOWS, "stat(2)" },
	{ "lstat", STAT_LINK, "lstat(2), which follows no link" },
	{ "statx", STAT_X, "statx(2) of all fields" },
	{ NULL, 0, NULL },
};

const struct option stat_options[] = {
	{ "stat_type", NULL, &type_choice, OPTION_FIELD(struct stat_options, call), "stat",
	  .choices = calls, .help = "Which system call looks at the path." },
	{ .name = NULL },
};

static int look(struct engine *e, const struct engine_file *f)
{
	const struct stat_options *o = e->job->engine_options;
	struct statx all;
	struct stat usual;

	switch (o->call) {
	case STAT_LINK:
		return fstatat(f->folder_fd, f->name, &usual, AT_SYMLINK_NOFOLLOW);
	case STAT_X:
		return statx(f->folder_fd, f->name, 0, STATX_ALL, &all);
	default:
		return fstatat(f->folder_fd, f->name, &usual, 0);
	}
}

int stat_commit(struct engine *e)
{
	return whole_file_commit(e, look);
}
