/* SPDX-License-Identifier: Apache-2.0 */
#include "logs/iolog.h"

#include <errno.h>

#include "logs/log_text.h"
#include "stats/clock.h"

struct recording {
	const struct target *target;
	struct log_text text;
	uint64_t start_ticks, last_us;
	uint64_t offset;		/* of the last block: a sync is said to stand there */
};

int iolog_create(const struct job *job, struct err *err)
{
	const int error = log_text_create(job->replay.record);

	return error ? log_text_error(job, job->replay.record, error, err) : 0;
}

static void begin_line(struct recording *r, uint32_t file, const char *action)
{
	log_text_number(&r->text, r->last_us);
	log_text_word(&r->text, " ");
	log_text_word(&r->text, r->target->files[file].path);
	log_text_word(&r->text, action);
}

static void write_files(struct recording *r, const char *action)
{
	for (uint32_t i = 0; i < r->target->files_count; i++) {
		begin_line(r, i, action);
		log_text_line_end(&r->text);
	}
}

static const char *action_of(const struct log_record *io)
{
	static const char *const actions[] = { " read ", " write ", " trim " };
	static const char *const syncs[] = { " sync ", " datasync ",
					     [SYNC_RANGE] = " sync_file_range " };

	return io->dir == DIR_SYNC ? syncs[io->data_only] : actions[io->dir];
}

static void write_io(void *context, const struct log_record *io)
{
	struct recording *r = context;
	const bool has_place = io->dir != DIR_SYNC || io->data_only == SYNC_RANGE;

	r->last_us = clock_between_ns(r->start_ticks, io->start_ticks) / 1000;
	begin_line(r, io->file, action_of(io));
	if (has_place)
		r->offset = io->offset;
	log_text_number(&r->text, r->offset);
	log_text_word(&r->text, " ");
	log_text_number(&r->text, has_place ? io->bytes : 0);
	log_text_line_end(&r->text);
}

int iolog_write(const struct job *job, const struct target *t, const struct log_buffer *b,
		uint64_t start_ticks, struct err *err)
{
	struct recording r = { .target = t, .start_ticks = start_ticks };
	int error;

	log_text_init(&r.text, job->replay.record);
	log_text_word(&r.text, "fio version 3 iolog");
	log_text_line_end(&r.text);
	write_files(&r, " add");
	write_files(&r, " open");
	log_buffer_each(b, write_io, &r);
	write_files(&r, " close");
	error = log_text_finish(&r.text);
	if (error)
		return log_text_error(job, job->replay.record, error, err);
	if (b->lost)
		return err_set(err, -ENOMEM, "%s: '%s' lacks %llu I/Os, for which there was no "
			       "memory: record a shorter run", job->name, job->replay.record,
			       (unsigned long long)b->lost);
	return 0;
}
