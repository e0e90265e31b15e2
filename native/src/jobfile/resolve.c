/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "engines/engine.h"
#include "jobfile/jobfile.h"
#include "jobfile/options.h"
#include "jobfile/resolve_checks.h"
#include "jobfile/sections.h"
#include "jobfile/unsupported_options.h"

enum { JOBS_MAX = 4096 };

/* Sections to jobs: defaults, then global sections so far, then the job's own. */
struct resolver {
	struct job_builder *builder;
	struct arena *memory;		/* of the list: outlives the builder */
	struct job_list *list;
	struct job *jobs;
	struct job defaults;
	uint64_t clones;
	struct err *err;
	int failed;			/* of the options read so far */
};

static const char *copy_text(const struct resolver *r, const char *text)
{
	return arena_text(r->memory, text, strlen(text));
}

static int unknown_key(const struct resolver *r, const struct assignment *a)
{
	const char *close = option_suggest(a->key);

	if (unsupported_option(a->key))
		return place_error(r->err, &a->place, a->place.key_column,
				   "%.80s: " UNSUPPORTED_TEXT, a->key);
	return place_error(r->err, &a->place, a->place.key_column,
			   "unknown option '%.80s'%s%s%s", a->key,
			   close ? ", did you mean '" : "", close ? close : "",
			   close ? "'?" : "; --cmdhelp lists the options");
}

static int parse_at(const struct resolver *r, const struct option *o,
		    const struct assignment *a, void *structure)
{
	struct err why = { 0 };
	int code = option_parse(o, a->value, structure, r->memory, &why);

	return code ? place_error(r->err, &a->place, a->place.value_column, "%s", why.text)
		    : 0;
}

/* An engine's own option has to wait until the engine is known. Goes on past a mistake. */
static int apply_section(const struct resolver *r, const struct section *s, struct job *job)
{
	int failed = 0;

	for (const struct assignment *a = s->first; a; a = a->next) {
		const struct option *o = options_find(a->key);
		int code = 0;

		if (o)
			code = parse_at(r, o, a, job);
		else if (!options_find_engine(a->key))
			code = unknown_key(r, a);
		failed = code ? code : failed;
	}
	return failed;
}

static int apply_engine_section(const struct resolver *r, const struct section *s,
				const struct job *job, void *structure)
{
	int failed = 0;

	for (const struct assignment *a = s->first; a; a = a->next) {
		const struct option *o = option_find(job->ops->options, a->key);
		int code = 0;

		if (o)
			code = parse_at(r, o, a, structure);
		else if (!s->global && !options_find(a->key))
			code = place_error(r->err, &a->place, a->place.key_column,
					   "option '%s' is not one of ioengine %s; --enghelp=%s "
					   "lists those", a->key, job->ops->name, job->ops->name);
		failed = code ? code : failed;
	}
	return failed;
}

static int apply_engine_options(const struct resolver *r, const struct section *own,
				struct job *job)
{
	void *structure = NULL;
	int code = 0;

	if (job->ops->options) {
		structure = arena_alloc(r->memory, job->ops->options_size);
		option_defaults(job->ops->options, structure, r->memory);
	}
	for (const struct section *s = r->builder->first; s != own && !code; s = s->next)
		if (s->global)
			code = apply_engine_section(r, s, job, structure);
	job->engine_options = structure;
	return code ? code : apply_engine_section(r, own, job, structure);
}

static const char *canonical_key(const char *key)
{
	const struct option *o = options_find_any(key);

	return o ? o->name : key;
}

static const char *bare_value(const char *key)
{
	const struct option *o = options_find_any(key);
	const char *value = o ? o->type->bare : NULL;

	return value ? value : "1";
}

/* Append a section's settings; of a repeated key the last value is kept. */
static size_t collect(const struct resolver *r, const struct section *s,
		      struct setting *settings, size_t count)
{
	for (const struct assignment *a = s->first; a; a = a->next) {
		const char *key = canonical_key(a->key);
		size_t i = 0;

		while (i < count && strcmp(settings[i].key, key))
			i++;
		settings[i].key = key;
		settings[i].value = copy_text(r, a->value ? a->value : bare_value(a->key));
		count = i == count ? count + 1 : count;
	}
	return count;
}

static size_t section_length(const struct section *s)
{
	size_t n = 0;

	for (const struct assignment *a = s->first; a; a = a->next)
		n++;
	return n;
}

/* Settings of the sections from..to that are global, and of `own` (or NULL). */
static const struct setting *settings_of(const struct resolver *r,
					 const struct section *from, const struct section *to,
					 const struct section *own, size_t *count)
{
	size_t most = own ? section_length(own) : 0;
	struct setting *settings;

	for (const struct section *s = from; s != to; s = s->next)
		most += s->global ? section_length(s) : 0;
	settings = arena_alloc(r->memory, (most + 1) * sizeof(*settings));
	*count = 0;
	for (const struct section *s = from; s != to; s = s->next)
		if (s->global)
			*count = collect(r, s, settings, *count);
	if (own)
		*count = collect(r, own, settings, *count);
	return settings;
}

static const struct section *first_job(const struct resolver *r)
{
	const struct section *s = r->builder->first;

	while (s && s->global)
		s = s->next;
	return s;
}

static bool is_chosen(const struct resolver *r, const struct section *s)
{
	bool chosen = !r->builder->chosen;

	for (struct chosen *c = r->builder->chosen; c; c = c->next) {
		if (!strcmp(c->name, s->name)) {
			c->found = true;
			chosen = true;
		}
	}
	return chosen;
}

static int too_many(const struct resolver *r, const struct section *s)
{
	return place_error(r->err, &s->place, s->place.key_column,
			   "more than %d jobs, counting numjobs; use fewer", JOBS_MAX);
}

/* 0 while all options are right, of the sections before as well. */
static int take_options(struct resolver *r, const struct section *s, struct job *job)
{
	int code = apply_section(r, s, job);

	if (code)
		r->failed = code;
	return r->failed;
}

static int resolve_job(struct resolver *r, const struct section *s)
{
	struct job *job = &r->jobs[r->list->count];
	int code;

	if (r->list->count == JOBS_MAX)
		return too_many(r, s);
	*job = r->defaults;
	job->name = copy_text(r, s->name);
	if (take_options(r, s, job))
		return 0;		/* options of other sections may be wrong as well */
	code = apply_engine_options(r, s, job);
	if (code)
		return code;
	job->settings = settings_of(r, first_job(r), s, s, &job->settings_count);
	if (r->list->count)
		job->group_id = job[-1].group_id + (job->stonewall ? 1 : 0);
	r->list->count++;
	r->clones += job->numjobs;
	if (r->clones > JOBS_MAX)
		return too_many(r, s);
	return resolve_checks(r->builder, s, job, r->list, r->memory, r->err);
}

static int resolve_sections(struct resolver *r)
{
	int code = 0;

	for (const struct section *s = r->builder->first; s && !code; s = s->next) {
		if (s->global)
			take_options(r, s, &r->defaults);
		else if (is_chosen(r, s))
			code = resolve_job(r, s);
	}
	code = code ? code : r->failed;
	for (const struct chosen *c = r->builder->chosen; c && !code; c = c->next)
		if (!c->found)
			code = err_set(r->err, -EINVAL, "--section: there is no job '%.80s'",
				       c->name);
	if (!code && !r->list->count)
		code = err_set(r->err, -EINVAL, "there is no job: name a job file, or start a "
			       "job with --name=NAME (--help)");
	return code;
}

static size_t count_jobs(const struct job_builder *b)
{
	size_t n = 0;

	for (const struct section *s = b->first; s && n < JOBS_MAX; s = s->next)
		n += s->global ? 0 : 1;
	return n;
}

int job_builder_finish(struct job_builder *b, struct job_list *list, struct err *err)
{
	struct arena *memory = arena_new();
	struct resolver r = { .builder = b, .memory = memory, .list = list, .err = err };
	int code;

	*list = (struct job_list){ .memory = memory };
	r.jobs = arena_alloc(memory, (count_jobs(b) + 1) * sizeof(*r.jobs));
	list->jobs = r.jobs;
	options_defaults(&r.defaults, memory);
	list->globals = settings_of(&r, b->first, first_job(&r), NULL, &list->globals_count);
	code = resolve_sections(&r);
	if (code)
		job_list_release(list);
	return code;
}

void job_list_release(struct job_list *list)
{
	arena_free(list->memory);
	*list = (struct job_list){ 0 };
}
