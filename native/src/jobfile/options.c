/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engines/engines.h"
#include "jobfile/options_parts.h"
#include "util/suggest.h"

/* In the order of docs/options.md. */
const struct option_category *const option_categories[] = {
	&options_job,
	&options_time,
	&options_files,
	&options_zones,
	&options_io,
	&options_verify,
	&options_block,
	&options_amount,
	&options_engine,
	&options_depth,
	&options_rate,
	&options_errors,
	&options_steady,
	&options_buffers,
	&options_processes,
	&options_placement,
	&options_replay,
	&options_report,
	&options_logs,
	NULL,
};

/* A name or an alias, and what it stands for. */
struct key {
	const char *name;
	const struct option *option;
};

/* Made at the first look from the tables, and then the same for good. */
static struct {
	pthread_once_t once;
	const struct option **sorted;
	struct key *keys;		/* sorted by name */
	size_t count, keys_count;
} all = { .once = PTHREAD_ONCE_INIT };

static int compare_options(const void *a, const void *b)
{
	return strcmp((*(const struct option *const *)a)->name,
		      (*(const struct option *const *)b)->name);
}

static int compare_keys(const void *a, const void *b)
{
	return strcmp(((const struct key *)a)->name, ((const struct key *)b)->name);
}

static size_t count_rows(void)
{
	size_t count = 0;

	for (const struct option_category *const *c = option_categories; *c; c++)
		for (const struct option *o = (*c)->rows; o->name; o++)
			count++;
	return count;
}

static void add_row(const struct option *o)
{
	all.sorted[all.count++] = o;
	all.keys[all.keys_count++] = (struct key){ o->name, o };
	if (o->alias)
		all.keys[all.keys_count++] = (struct key){ o->alias, o };
}

static void collect_all(void)
{
	const size_t count = count_rows();

	all.sorted = calloc(count + 1, sizeof(struct option *));
	all.keys = calloc(2 * count, sizeof(struct key));
	if (!all.sorted || !all.keys)
		BUG("out of memory");
	for (const struct option_category *const *c = option_categories; *c; c++)
		for (const struct option *o = (*c)->rows; o->name; o++)
			add_row(o);
	qsort(all.sorted, all.count, sizeof(struct option *), compare_options);
	qsort(all.keys, all.keys_count, sizeof(struct key), compare_keys);
}

const struct option *const *options_sorted(void)
{
	pthread_once(&all.once, collect_all);
	return all.sorted;
}

const struct option *options_find(const char *key)
{
	const struct key wanted = { .name = key };
	const struct key *found;

	pthread_once(&all.once, collect_all);
	found = bsearch(&wanted, all.keys, all.keys_count, sizeof(wanted), compare_keys);
	return found ? found->option : NULL;
}

const struct option *options_find_engine(const char *key)
{
	for (const struct engine_ops *const *ops = engines_all; *ops; ops++) {
		const struct option *o = option_find((*ops)->options, key);

		if (o)
			return o;
	}
	return NULL;
}

const struct option *options_find_any(const char *key)
{
	const struct option *o = options_find(key);

	return o ? o : options_find_engine(key);
}

static void offer(struct suggestion *s, const struct option *o)
{
	suggestion_offer(s, o->name);
	if (o->alias)
		suggestion_offer(s, o->alias);
}

const char *option_suggest(const char *key)
{
	struct suggestion s;

	suggestion_init(&s, key);
	for (const struct option *const *o = options_sorted(); *o; o++)
		offer(&s, *o);
	for (const struct engine_ops *const *ops = engines_all; *ops; ops++)
		for (const struct option *o = (*ops)->options; o && o->name; o++)
			offer(&s, o);
	return s.best;
}

void options_defaults(struct job *job, struct arena *memory)
{
	for (const struct option_category *const *c = option_categories; *c; c++)
		option_defaults((*c)->rows, job, memory);
}
