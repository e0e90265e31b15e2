/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "engines/engine.h"
#include "jobfile/check.h"
#include "jobfile/dedupe_sets.h"
#include "jobfile/given.h"
#include "jobfile/jobfile.h"
#include "jobfile/options.h"
#include "jobfile/resolve_checks.h"
#include "jobfile/sections.h"
#include "jobfile/unsupported_options.h"
#include "util/text_map.h"

enum { JOBS_MAX = 4096 };

/* What the global sections before `section` set of an engine's own options. */
struct engine_state {
	struct engine_state *next;
	const struct engine_ops *ops;
	const struct section *section;
	void *options;
};

/* Sections to jobs: defaults, then global sections so far, then the job's own. Each section
 * is read once: no job looks at those before it again. */
struct resolver {
	struct job_builder *builder;
	struct arena *memory;		/* of the list: outlives the builder */
	struct job_list *list;
	struct job *jobs;
	struct job defaults;		/* at the section at hand */
	struct job of_command_line;	/* what each file begins with */
	uint32_t file;			/* of the section at hand */
	bool walled;			/* the next job waits for those of the file before */
	struct engine_state *engines;
	struct earlier earlier;
	struct text_map chosen;		/* names to struct chosen */
	bool past_first;		/* the first job's section */
	uint64_t clones;
	struct err *err;
	int failed;			/* of the options read so far */
	uint32_t kb_base;			/* of the section at hand */
};

/* Stands for an ioengine that fio has and that is not here, where nothing will run. */
static const struct engine_ops engine_absent = { .name = "absent", .depth_max = UINT16_MAX };

static const char *copy_text(const struct resolver *r, const char *text)
{
	return arena_text(r->memory, text, strlen(text));
}

static int unknown_key(const struct resolver *r, const struct assignment *a)
{
	const char *close = option_suggest(a->key);

	if (r->builder->only_read && unsupported_engine_option(a->key))
		return 0;	/* until the engine is known */
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
	int code = option_parse_based(o, a->value, r->kb_base, structure, r->memory, &why);

	return code ? place_error(r->err, &a->place, a->place.value_column, "%s", why.text)
		    : 0;
}

static bool is_absent(const struct resolver *r, const struct option *o,
		      const struct assignment *a)
{
	return r->builder->only_read && a->value && !strcmp(o->name, "ioengine") &&
	       unsupported_engine(a->value);
}

/* An engine's own option has to wait until the engine is known. Goes on past a mistake. */
static int apply_section(const struct resolver *r, const struct section *s, struct job *job)
{
	int failed = 0;

	for (const struct assignment *a = s->first; a; a = a->next) {
		const struct option *o = options_find(a->key);
		int code = 0;

		if (o && is_absent(r, o, a))
			job->ops = &engine_absent;
		else if (o)
			code = parse_at(r, o, a, job);
		else if (!options_find_engine(a->key))
			code = unknown_key(r, a);
		failed = code ? code : failed;
	}
	return failed;
}

/* Of another engine, but one that any job may have to say that it is not meant. */
static bool is_switched_off(const struct assignment *a)
{
	const struct option *o = options_find_engine(a->key);

	return o && o->off_anywhere && a->value && !strcmp(a->value, o->standard);
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
		else if (!s->global && !options_find(a->key) && !is_switched_off(a))
			code = place_error(r->err, &a->place, a->place.key_column,
					   "option '%s' is not one of ioengine %s; --enghelp=%s "
					   "lists those", a->key, job->ops->name, job->ops->name);
		failed = code ? code : failed;
	}
	return failed;
}

static struct engine_state *engine_state(struct resolver *r, const struct engine_ops *ops)
{
	struct engine_state *state = r->engines;

	while (state && state->ops != ops)
		state = state->next;
	if (state)
		return state;
	state = arena_alloc(r->memory, sizeof(*state));
	*state = (struct engine_state){ .next = r->engines, .ops = ops,
					.section = r->builder->first };
	state->options = arena_alloc(r->memory, ops->options_size);
	option_defaults(ops->options, state->options, r->memory);
	r->engines = state;
	return state;
}

/* Each global section is read once for each engine, whatever the number of jobs. */
static int apply_engine_options(struct resolver *r, const struct section *own, struct job *job)
{
	struct engine_state *state = engine_state(r, job->ops);
	void *structure = NULL;
	int code = 0;

	for (; state->section != own && !code; state->section = state->section->next)
		if (state->section->global && (!state->section->file ||
					       state->section->file == own->file))
			code = apply_engine_section(r, state->section, job, state->options);
	if (job->ops->options) {
		structure = arena_alloc(r->memory, job->ops->options_size);
		memcpy(structure, state->options, job->ops->options_size);
	}
	job->engine_options = structure;
	return code ? code : apply_engine_section(r, own, job, structure);
}

/* Of an engine that is not here the options are taken as they are, and said to be its own. */
static void note_absent(struct resolver *r, const struct section *own, struct job *job)
{
	const struct check c = { &r->earlier, own, job, r->list, r->memory, r->err };
	const char *name = check_origin(&c, "ioengine")->value;

	check_note(&c, arena_format(r->memory, "ioengine=%.80s: " UNSUPPORTED_TEXT, name));
	for (const struct assignment *a = own->first; a; a = a->next)
		if (!options_find(a->key))
			check_note(&c, arena_format(r->memory, "%.80s is not looked at: it is of "
						    "ioengine=%.80s", a->key, name));
}

static void choose(struct resolver *r)
{
	for (struct chosen *c = r->builder->chosen; c; c = c->next)
		*text_map_at(&r->chosen, c->name, r->builder->memory) = c;
}

static bool is_chosen(struct resolver *r, const struct section *s)
{
	struct chosen *chosen;

	if (!r->builder->chosen)
		return true;
	chosen = *text_map_at(&r->chosen, s->name, r->builder->memory);
	if (chosen)
		chosen->found = true;
	return chosen;
}

static int check_chosen(struct resolver *r)
{
	for (const struct chosen *c = r->builder->chosen; c; c = c->next) {
		const struct chosen *same = *text_map_at(&r->chosen, c->name, r->builder->memory);

		if (!same->found)
			return err_set(r->err, -EINVAL, "--section: there is no job '%.80s'",
				       c->name);
	}
	return 0;
}

static int too_many(const struct resolver *r, const struct section *s)
{
	return place_error(r->err, &s->place, s->place.key_column,
			   "more than %d jobs, counting numjobs; use fewer", JOBS_MAX);
}

/* What the section's numbers are read by, wherever in it that stands. */
static uint32_t kb_base_of(const struct resolver *r, const struct section *s,
			   const struct job *inherited)
{
	struct job job = *inherited;

	for (const struct assignment *a = s->first; a; a = a->next) {
		const struct option *o = options_find(a->key);

		if (o && !strcmp(o->name, "kb_base"))
			option_parse(o, a->value, &job, r->memory, NULL);
	}
	return job.report.kb_base;
}

/* 0 while all options are right, of the sections before as well. */
static int take_options(struct resolver *r, const struct section *s, struct job *job)
{
	int code;

	r->kb_base = kb_base_of(r, s, job);
	code = apply_section(r, s, job);
	if (code)
		r->failed = code;
	return r->failed;
}

/* Into the wave and the group of the job before, or new ones. */
static void follow(struct job *job, const struct job *before, bool walled)
{
	const bool wall = walled || job->process.stonewall;

	job->wave = before->wave + wall;
	job->group_id = before->group_id + (wall || job->process.new_group);
}

static int resolve_job(struct resolver *r, const struct section *s)
{
	struct job *job = &r->jobs[r->list->count];
	int code = 0;

	if (r->list->count == JOBS_MAX)
		return too_many(r, s);
	*job = r->defaults;
	job->name = job->section = copy_text(r, s->name);
	if (take_options(r, s, job))
		return 0;		/* options of other sections may be wrong as well */
	if (job->ops == &engine_absent)
		note_absent(r, s, job);
	else
		code = apply_engine_options(r, s, job);
	if (code)
		return code;
	job->settings = given_settings(&r->earlier.globals, s, &job->settings_count, r->memory);
	if (r->list->count)
		follow(job, &job[-1], r->walled);
	r->walled = false;
	r->list->count++;
	r->clones += job->process.numjobs;
	if (r->clones > JOBS_MAX)
		return too_many(r, s);
	return resolve_checks(&r->earlier, s, job, r->list, r->memory, r->err);
}

static void take_global(struct resolver *r, const struct section *s)
{
	struct earlier *earlier = &r->earlier;

	take_options(r, s, &r->defaults);
	given_add(r->past_first ? &earlier->globals : &earlier->defaults, s, r->memory);
}

/* Each file has global sections of its own, and runs when the file before it has ended. Where
 * there are several, what is global in one of them is an option of each of its jobs. */
static void take_file(struct resolver *r, uint32_t file)
{
	if (!r->file)
		r->of_command_line = r->defaults;
	else
		r->walled = true;
	r->file = file;
	r->defaults = r->of_command_line;
	r->earlier.globals = (struct given_list){ 0 };
	r->engines = NULL;
	r->past_first = r->past_first || r->builder->files_count > 1;
}

static int resolve_sections(struct resolver *r)
{
	int code = 0;

	for (const struct section *s = r->builder->first; s && !code; s = s->next) {
		if (s->file != r->file)
			take_file(r, s->file);
		if (s->global)
			take_global(r, s);
		else if (is_chosen(r, s))
			code = resolve_job(r, s);
		r->past_first = r->past_first || !s->global;
	}
	code = code ? code : r->failed;
	code = code ? code : check_chosen(r);
	if (!code && !r->list->count && !r->builder->only_read)
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
	choose(&r);
	code = resolve_sections(&r);
	dedupe_sets_share(r.jobs, list->count);
	list->globals = given_settings(&r.earlier.defaults, NULL, &list->globals_count, memory);
	if (code)
		job_list_release(list);
	return code;
}

void job_list_release(struct job_list *list)
{
	arena_free(list->memory);
	*list = (struct job_list){ 0 };
}
