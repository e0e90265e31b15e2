/* SPDX-License-Identifier: Apache-2.0 */
#include "target/stack.h"

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

static void visit_partition(void *stack, dev_t device)
{
	add(stack, device);
}

static void visit_slave(void *stack, dev_t device)
{
	add_due(stack, device, false);
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
		sysfs_each(disk, "", "partition", visit_partition, s);
	add_below_loop(s, disk);
	sysfs_each(disk, "slaves", "dev", visit_slave, s);
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
