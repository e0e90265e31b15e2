/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "jobfile/help.h"
#include "util/version.h"

static bool is_plain(const char *text)
{
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr("-_./:,%+=@^", *text))
			return false;
	return true;
}

/* Quoted for a shell where it has to be. */
static void print_word(FILE *out, const char *key, const char *value)
{
	fprintf(out, " --%s=", key);
	if (is_plain(value)) {
		fputs(value, out);
		return;
	}
	fputc('\'', out);
	for (; *value; value++) {
		if (*value == '\'')
			fputs("'\\''", out);
		else
			fputc(*value, out);
	}
	fputc('\'', out);
}

static void print_settings(FILE *out, const struct setting *settings, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(settings[i].key, "name"))
			print_word(out, settings[i].key, settings[i].value);
}

static bool has(const struct setting *settings, size_t count, const char *key)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(settings[i].key, key))
			return true;
	return false;
}

/* The first job of another file waits for those of the file before. */
static bool is_walled(const struct job_list *list, size_t i)
{
	const struct job *job = &list->jobs[i];

	return i && job->wave != job[-1].wave &&
	       !has(job->settings, job->settings_count, "stonewall") &&
	       !has(list->globals, list->globals_count, "stonewall");
}

void help_showcmd(FILE *out, const struct job_list *list)
{
	fputs(version_program(), out);
	print_settings(out, list->globals, list->globals_count);
	for (size_t i = 0; i < list->count; i++) {
		print_word(out, "name", list->jobs[i].name);
		if (is_walled(list, i))
			print_word(out, "stonewall", "1");
		print_settings(out, list->jobs[i].settings, list->jobs[i].settings_count);
	}
	fputc('\n', out);
}
