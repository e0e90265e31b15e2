/* SPDX-License-Identifier: Apache-2.0 */
#include "engines/engine.h"

static int no_size(const struct job *job, const struct engine_file *file, uint64_t *bytes,
		   struct err *err)
{
	(void)job, (void)file, (void)err;
	*bytes = 0;
	return 0;
}

static int no_layout(const struct job *job, const struct engine_file *file, struct err *err)
{
	(void)job, (void)file, (void)err;
	return 0;
}

static int no_open(const struct job *job, struct engine_file *file, struct err *err)
{
	(void)job, (void)file, (void)err;
	return 0;
}

static void no_close(const struct job *job, struct engine_file *file)
{
	(void)job, (void)file;
}

static void no_unlink(const struct job *job, const struct engine_file *file)
{
	(void)job, (void)file;
}

const struct engine_files engine_no_files = {
	.size = no_size,
	.layout = no_layout,
	.open = no_open,
	.close = no_close,
	.unlink = no_unlink,
};
