/* SPDX-License-Identifier: Apache-2.0 */
#include "target/device_claims.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int claim(struct device_claims *claims, const struct target *t, struct target_file *f,
		 struct err *err)
{
	const int fd = expected_open(t->expected, f->path, O_RDWR | O_EXCL, err);
	struct device_claim *larger;

	if (fd < 0)
		return err_refuse(err, fd, "%s: cannot claim '%s' for writing: %s; name an unused "
				  "device", t->job->name, f->path, strerror(-fd));
	larger = realloc(claims->held, (claims->count + 1) * sizeof(*larger));
	if (!larger) {
		close(fd);
		return err_set(err, -ENOMEM, "%s: no memory", t->job->name);
	}
	claims->held = larger;
	claims->held[claims->count++] = (struct device_claim){ f->device, fd };
	f->claim_fd = fd;
	return 0;
}

/* Did an earlier file of this job, or an earlier job, claim it? */
static bool claimed(const struct device_claims *claims, struct target_file *f)
{
	for (uint32_t i = 0; i < claims->count && !f->claim_fd; i++) {
		if (claims->held[i].device == f->device)
			f->claim_fd = claims->held[i].fd;
	}
	return f->claim_fd;
}

int device_claims_add(struct device_claims *claims, struct target *t, struct err *err)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && job_changes(t->job) && i < t->files_count; i++) {
		struct target_file *f = &t->files[i];

		if (f->type == S_IFBLK && !claimed(claims, f))
			ret = claim(claims, t, f, err);
	}
	return ret;
}

void device_claims_release(struct device_claims *claims)
{
	for (uint32_t i = 0; i < claims->count; i++)
		close(claims->held[i].fd);
	free(claims->held);
	*claims = (struct device_claims){ 0 };
}
