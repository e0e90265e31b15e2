/* SPDX-License-Identifier: Apache-2.0 */
#include "target/mount_table.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "target/proc_text.h"

enum { LINE_MAX_BYTES = 4096, NAMESPACES_MAX = 1024 };

struct namespaces {
	ino_t known[NAMESPACES_MAX];
	uint32_t count;
};

bool mount_table_is_member(const struct stack *s, const char *path)
{
	struct stat st;

	return path[0] == '/' && !stat(path, &st) && S_ISBLK(st.st_mode) &&
	       stack_has(s, st.st_rdev);
}

/* logdev=/dev/x and the like: a filesystem on more than one device. */
static bool options_use(const struct stack *s, char *options)
{
	static const char *const keys[] = { "logdev=", "rtdev=", "journal_path=", NULL };
	char *rest = NULL;

	for (char *word = strtok_r(options, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		for (const char *const *key = keys; *key; key++) {
			const size_t length = strlen(*key);

			if (!strncmp(word, *key, length) && mount_table_is_member(s, word + length))
				return true;
		}
	}
	return false;
}

/* A line of mountinfo: id parent major:minor root mountpoint options … - type source
 * options. btrfs and others mount under an anonymous number: hence the look at the source. */
static bool line_uses(const struct stack *s, const char *line, char *where, size_t size)
{
	unsigned major_number, minor_number;
	char point[LINE_MAX_BYTES], source[LINE_MAX_BYTES], options[LINE_MAX_BYTES];
	const char *rest = strstr(line, " - ");

	if (sscanf(line, "%*d %*d %u:%u %*s %4095s", &major_number, &minor_number, point) != 3)
		return false;
	if (!rest || sscanf(rest, " - %*s %4095s %4095s", source, options) != 2)
		source[0] = options[0] = '\0';
	proc_unescape(point);
	proc_unescape(source);
	proc_unescape(options);
	snprintf(where, size, "%.500s", point);
	return stack_has(s, makedev(major_number, minor_number)) ||
	       mount_table_is_member(s, source) || options_use(s, options);
}

static bool file_uses(const struct stack *s, const char *path, char *where, size_t size)
{
	char line[2 * LINE_MAX_BYTES];
	FILE *f = fopen(path, "re");
	bool used = false;

	while (f && !used && fgets(line, sizeof(line), f))
		used = line_uses(s, line, where, size);
	if (f)
		fclose(f);
	return used;
}

/* Is the mount namespace of a process one that nobody has looked at? */
static bool is_new(struct namespaces *n, const char *process)
{
	char path[320];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", process);
	if (stat(path, &st))
		return false;
	for (uint32_t i = 0; i < n->count; i++) {
		if (n->known[i] == st.st_ino)
			return false;
	}
	if (n->count < NAMESPACES_MAX)
		n->known[n->count++] = st.st_ino;
	return true;
}

static bool process_uses(const struct stack *s, const char *process, char *where, size_t size)
{
	char path[320], more[64];

	snprintf(path, sizeof(path), "/proc/%s/mountinfo", process);
	if (!file_uses(s, path, where, size))
		return false;
	snprintf(more, sizeof(more), " in the mount namespace of process %.16s", process);
	if (strcmp(process, "self"))
		strncat(where, more, size - strlen(where) - 1);
	return true;
}

bool mount_table_uses(const struct stack *s, char *where, size_t size)
{
	struct namespaces namespaces = { .count = 0 };
	bool used = is_new(&namespaces, "self") && process_uses(s, "self", where, size);
	DIR *d = used ? NULL : opendir("/proc");
	struct dirent *entry;

	while (d && !used && (entry = readdir(d))) {
		if (strspn(entry->d_name, "0123456789") == strlen(entry->d_name) &&
		    is_new(&namespaces, entry->d_name))
			used = process_uses(s, entry->d_name, where, size);
	}
	if (d)
		closedir(d);
	return used;
}
