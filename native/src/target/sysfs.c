/* SPDX-License-Identifier: Apache-2.0 */
#include "target/sysfs.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

void sysfs_path(char *path, size_t size, dev_t device, const char *rest)
{
	snprintf(path, size, "/sys/dev/block/%u:%u/%s", major(device), minor(device), rest);
}

bool sysfs_line(const char *path, char *line, size_t size)
{
	FILE *f = fopen(path, "re");
	const bool ok = f && fgets(line, (int)size, f);

	if (f)
		fclose(f);
	if (ok)
		line[strcspn(line, "\n")] = '\0';
	return ok;
}

bool sysfs_device(const char *path, dev_t *device)
{
	char line[64];
	unsigned major_number, minor_number;

	if (!sysfs_line(path, line, sizeof(line)) ||
	    sscanf(line, "%u:%u", &major_number, &minor_number) != 2)
		return false;
	*device = makedev(major_number, minor_number);
	return true;
}

bool sysfs_disk_of(dev_t partition, dev_t *disk)
{
	char path[128];

	sysfs_path(path, sizeof(path), partition, "partition");
	if (access(path, F_OK))
		return false;
	sysfs_path(path, sizeof(path), partition, "../dev");
	return sysfs_device(path, disk);
}

void sysfs_each(dev_t device, const char *folder, const char *having,
		void (*visit)(void *context, dev_t device), void *context)
{
	char path[512], place[64];
	struct dirent *entry;
	dev_t found;
	DIR *d;

	sysfs_path(place, sizeof(place), device, folder);
	d = opendir(place);
	while (d && (entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s/%s", place, entry->d_name, having);
		if (access(path, F_OK))
			continue;
		snprintf(path, sizeof(path), "%s/%s/dev", place, entry->d_name);
		if (sysfs_device(path, &found))
			visit(context, found);
	}
	if (d)
		closedir(d);
}
