/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The room logs: text about single I/Os, from and to files.
 *
 *	logs.h		fio's logs of bandwidth, IOPS and latencies: their names and rows
 *	log_buffer.h	what a worker remembers of each I/O, in memory of its own
 *	log_row.h	a row of them
 *	log_text.h	a file that grows by lines, or by packed rows
 *	log_packed.h	the form of a packed row
 *	log_inflate.h	compressed logs as text
 *	iolog.h		write_iolog: I/O recorded for a later replay
 *	replay.h	read_iolog: the job that such a log makes of a job
 *
 * Averages over time are taken from outside a worker: run/log_sampler.h.
 */
#ifndef IOGATE_LOGS_H
#define IOGATE_LOGS_H

#include "job/job.h"
#include "logs/log_buffer.h"
#include "logs/log_row.h"
#include "logs/log_text.h"
#include "stats/stats.h"
#include "util/err.h"

/*
 * fio's logs: "time_ms, value, direction, bs[, offset], priority". Averages and
 * histograms come from the parent's looks at growing counters (log_sampler.h) and cost
 * a worker nothing; rows of each I/O come from the worker's log_buffer.
 */
enum log_kind { LOG_BW, LOG_IOPS, LOG_SLAT, LOG_CLAT, LOG_LAT, LOG_HIST, LOG_KINDS };

/* The log files of one clone of a job: which it asks for, and their names. */
struct logs {
	const struct job *job;
	char *paths[LOG_KINDS];		/* NULL: not asked for */
};

/* number: 1-based, among the clones of all jobs. Files are made, empty. 0 or -errno;
 * release also after a failure. */
int logs_init(struct logs *l, const struct job *job, uint32_t number, struct err *err);
void logs_release(struct logs *l);

/* Whether anything is told in that log: a synchronous engine knows no slat, and what is not
 * measured, or of a job without statistics, has no rows. */
bool logs_have_rows(const struct logs *l, enum log_kind kind);

/* Rows of that log are to be written to its file: as text, or packed for log_store_compressed. */
void logs_text_init(const struct logs *l, enum log_kind kind, struct log_text *t);
void logs_row(const struct job *job, struct log_text *t, const struct log_row *row);

/* When the measured part began, and when that was by the clock of log_unix_epoch. */
struct logs_begin {
	uint64_t ticks, epoch_ms;
};

/* The rows of each I/O, and into `rates`, one a direction, their bandwidths and IOPS. 0 or
 * -errno. */
int logs_write_each(const struct logs *l, const struct log_buffer *b,
		    const struct logs_begin *begin, struct rate_samples *rates, struct err *err);

#endif
