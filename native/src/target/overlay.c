/* SPDX-License-Identifier: Apache-2.0 */
#include "target/overlay.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "target/proc_text.h"

enum { PATH_BYTES = 8192 };

/* What mountinfo says of a mount; all of it points into the line. */
struct mount_line {
	char *root, *point, *options;
};

/* id parent major:minor root point options [tag…] - type source options */
static bool parse_overlay(char *line, struct mount_line *m)
{
	char *after = strstr(line, " - overlay "), *rest = NULL;

	if (!after)
		return false;
	*after = '\0';
	m->options = strchr(after + strlen(" - overlay "), ' ');
	for (int i = 0; i < 5; i++) {
		char *word = strtok_r(i ? NULL : line, " ", &rest);

		m->root = i == 3 ? word : m->root;
		m->point = word;
	}
	if (!m->point || !m->options)
		return false;
	proc_unescape(m->root);
	proc_unescape(m->point);
	m->options[strcspn(m->options, "\n")] = '\0';
	return true;
}

/* The line of the mount that a path is on, where that is an overlay: to be freed. */
static char *overlay_line(const char *path, struct mount_line *m)
{
	struct statx st;
	size_t size = 0;
	char *line = NULL;
	bool found = false;
	FILE *f;

	if (statx(AT_FDCWD, path, 0, STATX_MNT_ID, &st) || !(st.stx_mask & STATX_MNT_ID))
		return NULL;
	f = fopen("/proc/self/mountinfo", "re");
	while (f && !found && getline(&line, &size, f) > 0)
		found = strtoull(line, NULL, 10) == st.stx_mnt_id;
	if (f)
		fclose(f);
	if (found && parse_overlay(line, m))
		return line;
	free(line);
	return NULL;
}

static bool file_at(const char *path, struct file_id *below)
{
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	*below = (struct file_id){ st.st_dev, st.st_ino };
	return true;
}

/* A layer that was named from some folder is looked for above where the overlay is mounted. */
static bool in_layer(const struct mount_line *m, const char *layer, const char *within,
		     struct file_id *below)
{
	char path[PATH_BYTES];

	if (layer[0] == '/') {
		snprintf(path, sizeof(path), "%s%s%s", layer, m->root[1] ? m->root : "", within);
		return file_at(path, below);
	}
	for (size_t length = strlen(m->point); length; length--) {
		if (m->point[length - 1] != '/')
			continue;
		snprintf(path, sizeof(path), "%.*s%s%s%s", (int)length, m->point, layer,
			 m->root[1] ? m->root : "", within);
		if (file_at(path, below))
			return true;
	}
	return false;
}

/* Layers stand one after the other with colons between, of which "\:" is none. */
static bool in_layers(const struct mount_line *m, char *layers, const char *within,
		      struct file_id *below)
{
	char *out = layers, *begin = layers;

	proc_unescape(layers);
	for (char *s = layers;; s++) {
		if (*s == '\\' && s[1] == ':') {
			*out++ = *++s;
			continue;
		}
		if (*s && *s != ':') {
			*out++ = *s;
			continue;
		}
		const bool last = !*s;

		*out++ = '\0';
		if (*begin && in_layer(m, begin, within, below))
			return true;
		if (last)
			return false;
		begin = out;
	}
}

static bool in_option(const struct mount_line *m, const char *name, const char *within,
		      struct file_id *below)
{
	char *options = strdup(m->options), *rest = NULL;
	bool found = false;

	for (char *word = options ? strtok_r(options, ", ", &rest) : NULL; word && !found;
	     word = strtok_r(NULL, ", ", &rest)) {
		const size_t length = strlen(name);

		if (!strncmp(word, name, length) && word[length + (word[length] == '+')] == '=')
			found = in_layers(m, strchr(word, '=') + 1, within, below);
	}
	free(options);
	return found;
}

bool overlay_below(const char *path, bool written, struct file_id *below)
{
	struct mount_line m = { NULL, NULL, NULL };
	char *line = overlay_line(path, &m);
	char *real = line ? realpath(path, NULL) : NULL;
	bool found = false;

	if (real && strlen(real) >= strlen(m.point)) {
		const char *within = real + (m.point[1] ? strlen(m.point) : 0);

		found = in_option(&m, "upperdir", within, below) ||
			(!written && in_option(&m, "lowerdir", within, below));
	}
	free(real);
	free(line);
	return found;
}
