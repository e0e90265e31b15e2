/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The room pattern: which I/O comes next, and when it is due. It issues none itself, and
 * asks no clock.
 *
 *	pattern.h		the door: a pattern hands out I/Os in batches
 *	pattern_state.h		struct pattern and struct pattern_io, embedded by others
 *	pattern_cursor.h	the place in one file: windows, zones, maps, Zipf
 *	pattern_files.h		which file has its turn
 *	pattern_fit.h		whether there is room for a block
 *	pattern_turn.h		the next I/O of the file that has it
 *	pattern_sequence.h	rw=read:4k and rw=randread:8: gaps, and blocks that follow
 *	pattern_zbd.h		zonemode=zbd: zones that are written in order
 *	pattern_sprandom.h	sprandom: flash as random writes leave it, in one pass
 *	pattern_plain.h		the usual case as tight loops
 *	pattern_sizes.h		how large the blocks of a job may be
 *	pattern_map.h		what of a file is still to come, where blocks have several sizes
 *	pattern_drawn.h		I/Os that are drawn one by one, without a map
 *	pattern_pair.h		blocks that are trimmed and then written
 *	rate.h			when I/Os of a rate-limited job are due
 *	content.h		what writes and laid-out files hold
 *	skew.h			blocks or files that are drawn more often than others
 *	zipf.h			ranks by Zipf's law
 *	trace.h			an I/O log to replay, read into memory
 *	trace_ios.h		what it holds
 *	trace_reader.h		what its readers share
 *	blktrace.h		one that is a binary trace of blktrace
 *	trace_words.h		the words of its lines
 */
#ifndef IOGATE_PATTERN_H
#define IOGATE_PATTERN_H

#include "pattern/pattern_state.h"
#include "util/err.h"

/*
 * Which I/O comes next. A pattern hands out I/Os in batches and knows when the
 * job has done its share: io_size (or one pass over the files), at most number_ios, times
 * loops; without end when the job is time_based.
 *
 * Random offsets visit each block once a pass (unless norandommap); reads and
 * writes of a mixed job share the map when they share the smallest block; with rates for
 * both, the rates decide which comes next, and with a rate for one of them the other one has
 * every turn that it cannot take yet. Sequential
 * reads and writes of a mixed job each have their own position; the pass ends for
 * both when one reaches the end. Several files take turns, as file_service_type says. A job of
 * trims and writes trims each block, as large as the larger of both sizes, and then writes it:
 * io_size and number_ios count each block once.
 */

/* Seed of one clone of one job: the same in each run with randrepeat. */
uint64_t pattern_seed(const struct job *job, uint32_t job_index, uint32_t clone);

/* What one of the job's loops moves, of files that hold `whole` bytes for it. */
uint64_t pattern_loop_bytes(const struct job *job, uint64_t whole);

/* 0, or -errno with *err. Release also after a failure. */
int pattern_init(struct pattern *p, const struct job *job,
		 const struct pattern_extent *extents, uint32_t extents_count, uint64_t seed,
		 struct err *err);
void pattern_release(struct pattern *p);

/* Up to n I/Os, all of one pass; fewer near its end. 0: the job is done. */
uint32_t pattern_fill(struct pattern *p, struct pattern_io *out, uint32_t n);

/* A mixed job with a rate for one direction. It is filled one I/O at a time, before each of which
 * it is told whether that direction waits: then the I/O is of the other one. */
bool pattern_may_hold(const struct pattern *p);
void pattern_hold(struct pattern *p, bool holds);

/* When a replayed I/O is due, in ns since the first: of the last fill, with so many after
 * it, 1 being the last one. */
uint64_t pattern_due_ns(const struct pattern *p, uint32_t from_last);

#endif
