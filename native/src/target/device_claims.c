/* SPDX-License-Identifier: Apache-2.0 */
#include "target/device_claims.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int claim(struct device_claims *claims, const struct target *t, const struct target_file *f,
		 struct err *err)
{
	const int fd = expected_open(t->expected, f->path, O_RDONLY | O_EXCL, err);
	int *larger;

	if (fd < 0)
		return err_refuse(err, fd, "%s: cannot claim '%s' for writing: %s; name an unused "
				  "device", t->job->name, f->path, strerror(-fd));
	larger = realloc(claims->fds, (claims->count + 1) * sizeof(int));
	if (!larger) {
		close(fd);
		return err_set(err, -ENOMEM, "%s: no memory", t->job->name);
	}
	claims->fds = larger;
	claims->fds[claims->count++] = fd;
	return 0;
}

static bool writes_device(const struct target *t, dev_t device, uint32_t files)
{
	for (uint32_t i = 0; t->job->rw & RW_WRITE && i < files; i++) {
		if (t->files[i].type == S_IFBLK && t->files[i].device == device)
			return true;
	}
	return false;
}

/* Did an earlier file of this clone, or an earlier clone, claim it? */
static bool claimed(const struct workers *workers, uint32_t member, uint32_t file)
{
	const dev_t device = workers->members[member].target.files[file].device;

	for (uint32_t i = 0; i < member; i++) {
		const struct target *t = &workers->members[i].target;

		if (writes_device(t, device, t->files_count))
			return true;
	}
	return writes_device(&workers->members[member].target, device, file);
}

static int claim_member(struct device_claims *claims, const struct workers *workers,
			uint32_t member, struct err *err)
{
	const struct target *t = &workers->members[member].target;
	int ret = 0;

	for (uint32_t i = 0; !ret && t->job->rw & RW_WRITE && i < t->files_count; i++) {
		if (t->files[i].type == S_IFBLK && !claimed(workers, member, i))
			ret = claim(claims, t, &t->files[i], err);
	}
	return ret;
}

int device_claims_init(struct device_claims *claims, const struct workers *workers, struct err *err)
{
	int ret = 0;

	*claims = (struct device_claims){ 0 };
	for (uint32_t i = 0; !ret && i < workers->count; i++)
		ret = claim_member(claims, workers, i, err);
	return ret;
}

void device_claims_release(struct device_claims *claims)
{
	for (uint32_t i = 0; i < claims->count; i++)
		close(claims->fds[i]);
	free(claims->fds);
	*claims = (struct device_claims){ 0 };
}
