/* SPDX-License-Identifier: Apache-2.0 */
#include "target/target_place.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static bool by_name(const struct target *t)
{
	return t->job->ops->flags & ENGINE_BY_NAME;
}

void target_describe(const struct target *t, const struct target_file *f,
		     struct engine_file *out)
{
	const char *slash = strrchr(f->path, '/');

	*out = (struct engine_file){
		.path = f->path, .end_bytes = f->extent.start_bytes + f->extent.size_bytes,
		.fd = -1, .claim_fd = f->claim_fd, .name = slash ? slash + 1 : f->path,
	};
	if (by_name(t))
		out->folder_fd = -1;
}

int target_place(const struct target *t, const struct target_file *f, struct engine_file *out,
		 struct err *err)
{
	int ret;

	target_describe(t, f, out);
	if (!by_name(t))
		return 0;
	ret = expected_folder(t->expected, f->path, err);
	if (ret >= 0)
		out->folder_fd = ret;
	if (ret >= 0 || ret == -ENOENT || err->text[0])
		return ret < 0 ? ret : 0;
	return err_set(err, ret, "%s: cannot open the directory of '%s': %s", t->job->name,
		       f->path, strerror(-ret));
}

void target_place_close(const struct target *t, struct engine_file *file)
{
	if (!by_name(t) || file->folder_fd < 0)
		return;
	close(file->folder_fd);
	file->folder_fd = -1;
}

static bool same_folder(const struct engine_file *a, const struct engine_file *b)
{
	const size_t length = (size_t)(a->name - a->path);

	return length == (size_t)(b->name - b->path) && !strncmp(a->path, b->path, length);
}

int target_places(const struct target *t, struct engine_file *files, struct err *err)
{
	int ret = 0;

	for (uint32_t i = 0; i < t->files_count; i++)
		target_describe(t, &t->files[i], &files[i]);
	for (uint32_t i = 0; by_name(t) && !ret && i < t->files_count; i++) {
		if (i && same_folder(&files[i - 1], &files[i]))
			files[i].folder_fd = files[i - 1].folder_fd;
		else
			ret = target_place(t, &t->files[i], &files[i], err);
	}
	if (ret && !err->text[0])
		err_set(err, ret, "%s: a directory of its files is gone", t->job->name);
	return ret;
}

void target_places_close(const struct target *t, struct engine_file *files)
{
	for (uint32_t i = 0; by_name(t) && i < t->files_count; i++) {
		if (i + 1 < t->files_count && files[i + 1].folder_fd == files[i].folder_fd)
			files[i].folder_fd = -1;
		else
			target_place_close(t, &files[i]);
	}
}
