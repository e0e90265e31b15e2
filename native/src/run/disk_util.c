/* SPDX-License-Identifier: Apache-2.0 */
#include "run/disk_util.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "stats/clock.h"
#include "target/sysfs.h"

/* Partitions count only what passes through them: their disk says how busy it is. */
static dev_t whole_disk(dev_t device)
{
	dev_t disk;

	return sysfs_disk_of(device, &disk) ? disk : device;
}

/* The name is the last part of where the sysfs link of the device points. */
static bool read_name(dev_t device, char *name, size_t size)
{
	char path[64], link[512];
	ssize_t length;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(device), minor(device));
	length = readlink(path, link, sizeof(link) - 1);
	if (length <= 0)
		return false;
	link[length] = '\0';
	const char *slash = strrchr(link, '/');

	snprintf(name, size, "%.60s", slash ? slash + 1 : link);
	return true;
}

static bool read_counters(dev_t device, struct disk_util *d)
{
	char path[64];
	uint64_t in_flight, busy_ms = 0;
	FILE *f;
	int found;

	sysfs_path(path, sizeof(path), device, "stat");
	f = fopen(path, "re");
	if (!f)
		return false;
	found = fscanf(f, "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64
		       "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64,
		       &d->read_ios, &d->read_merges, &d->read_sectors, &d->read_ticks_ms,
		       &d->write_ios, &d->write_merges, &d->write_sectors, &d->write_ticks_ms,
		       &in_flight, &busy_ms, &d->in_queue_ms);
	fclose(f);
	d->util_percent = (double)busy_ms;	/* a difference of these becomes percent */
	return found == 11;
}

static bool known(const struct disk_watch *w, dev_t device)
{
	for (uint32_t i = 0; i < w->count; i++) {
		if (w->devices[i] == device)
			return true;
	}
	return false;
}

static bool make_room(struct disk_watch *w)
{
	const uint32_t capacity = w->capacity ? 2 * w->capacity : 8;
	struct disk_util *disks;
	dev_t *devices;

	if (w->count < w->capacity)
		return true;
	disks = realloc(w->disks, capacity * sizeof(*disks));
	if (disks)
		w->disks = disks;
	devices = realloc(w->devices, capacity * sizeof(*devices));
	if (devices)
		w->devices = devices;
	if (disks && devices)
		w->capacity = capacity;
	return disks && devices;
}

static void add_device(struct disk_watch *w, dev_t device);

static void visit_slave(void *watch, dev_t device)
{
	add_device(watch, device);
}

static void add_device(struct disk_watch *w, dev_t device)
{
	struct disk_util disk = { .name = "" };

	device = whole_disk(device);
	if (known(w, device) || !read_name(device, disk.name, sizeof(disk.name)) ||
	    !make_room(w))
		return;
	w->devices[w->count] = device;
	w->disks[w->count++] = disk;
	sysfs_each(device, "slaves", "dev", visit_slave, w);
}

/* A device by its node; by its name where /dev does not hold it, as when confined. */
static bool device_named(const char *source, dev_t *device)
{
	const char *slash = strrchr(source, '/');
	struct stat st;
	char path[320];

	if (!stat(source, &st) && S_ISBLK(st.st_mode)) {
		*device = st.st_rdev;
		return true;
	}
	snprintf(path, sizeof(path), "/sys/class/block/%.255s/dev", slash ? slash + 1 : source);
	return sysfs_device(path, device);
}

/* btrfs and the like give files an anonymous device: then the mount's source counts. */
static dev_t backing_device(const struct target_file *f)
{
	char line[4096], source[1024];
	unsigned major_number, minor_number;
	dev_t device = f->device, found;
	FILE *mounts;

	if (f->type == S_IFBLK || major(device))
		return device;
	mounts = fopen("/proc/self/mountinfo", "re");
	while (mounts && fgets(line, sizeof(line), mounts)) {
		const char *rest = strstr(line, " - ");

		if (rest && sscanf(line, "%*d %*d %u:%u", &major_number, &minor_number) == 2 &&
		    makedev(major_number, minor_number) == f->device &&
		    sscanf(rest, " - %*s %1023s", source) == 1 &&
		    device_named(source, &found))
			device = found;
	}
	if (mounts)
		fclose(mounts);
	return device;
}

void disk_watch_add(struct disk_watch *w, const struct target *t)
{
	for (uint32_t i = 0; i < t->files_count; i++) {
		if (t->files[i].device && t->files[i].type != S_IFCHR)
			add_device(w, backing_device(&t->files[i]));
	}
}

void disk_watch_begin(struct disk_watch *w)
{
	w->begin_ns = clock_monotonic_ns();
	for (uint32_t i = 0; i < w->count; i++)
		read_counters(w->devices[i], &w->disks[i]);
}

static void subtract(struct disk_util *d, const struct disk_util *now, double elapsed_ms)
{
	d->read_ios = now->read_ios - d->read_ios;
	d->write_ios = now->write_ios - d->write_ios;
	d->read_sectors = now->read_sectors - d->read_sectors;
	d->write_sectors = now->write_sectors - d->write_sectors;
	d->read_merges = now->read_merges - d->read_merges;
	d->write_merges = now->write_merges - d->write_merges;
	d->read_ticks_ms = now->read_ticks_ms - d->read_ticks_ms;
	d->write_ticks_ms = now->write_ticks_ms - d->write_ticks_ms;
	d->in_queue_ms = now->in_queue_ms - d->in_queue_ms;
	d->util_percent = elapsed_ms > 0
			  ? (now->util_percent - d->util_percent) / elapsed_ms * 100 : 0;
	d->util_percent = d->util_percent > 100 ? 100 : d->util_percent;
}

static void subtract_all(const struct disk_watch *w, struct disk_util *disks)
{
	const double elapsed_ms = (double)(clock_monotonic_ns() - w->begin_ns) / 1e6;

	for (uint32_t i = 0; i < w->count; i++) {
		struct disk_util now = { .name = "" };

		if (!read_counters(w->devices[i], &now))
			now = disks[i];		/* it went away: no difference to tell */
		subtract(&disks[i], &now, elapsed_ms);
	}
}

void disk_watch_look(const struct disk_watch *w, struct disk_util **disks, size_t *count)
{
	*disks = malloc((w->count + 1) * sizeof(**disks));
	*count = *disks ? w->count : 0;
	if (!*count)
		return;
	memcpy(*disks, w->disks, w->count * sizeof(**disks));
	subtract_all(w, *disks);
}

void disk_watch_end(struct disk_watch *w, struct disk_util **disks, size_t *count)
{
	subtract_all(w, w->disks);
	*disks = w->disks;
	*count = w->count;
	free(w->devices);
	*w = (struct disk_watch){ 0 };
}
