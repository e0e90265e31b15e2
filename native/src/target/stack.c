/* SPDX-License-Identifier: Apache-2.0 */
#include "target/stack.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "target/sysfs.h"

static struct stack_member *find(struct stack *s, dev_t device)
{
	for (uint32_t i = 0; i < s->count; i++) {
		if (s->members[i].device == device)
			return &s->members[i];
	}
	return NULL;
}

bool stack_has(const struct stack *s, dev_t device)
{
	for (uint32_t i = 0; i < s->count; i++) {
		if (s->members[i].device == device)
			return true;
	}
	return false;
}

static struct stack_member *add(struct stack *s, dev_t device)
{
	struct stack_member *m = find(s, device);

	if (m || s->count == STACK_MAX)
		return m;
	m = &s->members[s->count++];
	*m = (struct stack_member){ .device = device };
	return m;
}

/* One that is written, or is below one that is. What is known of it already stays. */
static void add_due(struct stack *s, dev_t device, bool bare)
{
	const bool known = stack_has(s, device);
	struct stack_member *m = add(s, device);

	if (!m || (known && (m->bare || !bare)))
		return;
	m->bare = bare;
	m->due = true;
}

static void add_partitions(struct stack *s, dev_t disk)
{
	char path[512], folder[64];
	struct dirent *entry;
	dev_t device;
	DIR *d;

	sysfs_path(folder, sizeof(folder), disk, "");
	d = opendir(folder);
	while (d && (entry = readdir(d))) {
		snprintf(path, sizeof(path), "%s%s/partition", folder, entry->d_name);
		if (access(path, F_OK))
			continue;
		snprintf(path, sizeof(path), "%s%s/dev", folder, entry->d_name);
		if (sysfs_device(path, &device))
			add(s, device);
	}
	if (d)
		closedir(d);
}

static void add_slaves(struct stack *s, dev_t disk)
{
	char path[512], folder[64];
	struct dirent *entry;
	dev_t device;
	DIR *d;

	sysfs_path(folder, sizeof(folder), disk, "slaves/");
	d = opendir(folder);
	while (d && (entry = readdir(d))) {
		snprintf(path, sizeof(path), "%s%s/dev", folder, entry->d_name);
		if (entry->d_name[0] != '.' && sysfs_device(path, &device))
			add_due(s, device, false);
	}
	if (d)
		closedir(d);
}

static void add_below_loop(struct stack *s, dev_t disk)
{
	for (uint32_t i = 0; i < s->loops_count; i++) {
		struct loop_backing *loop = &s->loops[i];

		if (loop->loop != disk || loop->below)
			continue;
		loop->below = true;
		if (loop->lower)
			add_due(s, loop->lower, true);
	}
}

/* A partition shares blocks with its disk, but not with its sisters. */
static void walk(struct stack *s, dev_t device)
{
	dev_t disk = device;

	if (sysfs_disk_of(device, &disk))
		add(s, disk);
	else
		add_partitions(s, disk);
	add_below_loop(s, disk);
	add_slaves(s, disk);
}

static struct stack_member *next_due(struct stack *s)
{
	for (uint32_t i = 0; i < s->count; i++) {
		if (s->members[i].due)
			return &s->members[i];
	}
	return NULL;
}

void stack_init(struct stack *s, dev_t device)
{
	struct stack_member *m;

	s->count = 0;
	s->loops_count = loop_backings(s->loops);
	add_due(s, device, true);
	while ((m = next_due(s))) {
		m->due = false;
		walk(s, m->device);
	}
}
